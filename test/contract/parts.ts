import { access } from './access.contract.ts';
import { applying } from './applying.contract.ts';
import { deleting } from './deleting.contract.ts';
import { discovery } from './discovery.contract.ts';
import { kubectl } from './kubectl.contract.ts';
import { lifeCyclesPart } from './life-cycles.contract.ts';
import type { Part } from './part.ts';
import { patching } from './patching.contract.ts';
import { projectRequests } from './project-requests.contract.ts';
import { reading } from './reading.contract.ts';
import { schemas } from './schemas.contract.ts';
import { secretsAndLeases } from './secrets-and-leases.contract.ts';
import { statuses } from './status.contract.ts';
import { watching } from './watching.contract.ts';
import { webhooks } from './webhooks.contract.ts';
import { writing } from './writing.contract.ts';

/** All chapters, in the order in which they run. */
export const parts: readonly Part[] = [
  discovery,
  reading,
  watching,
  writing,
  patching,
  applying,
  statuses,
  schemas,
  secretsAndLeases,
  deleting,
  lifeCyclesPart,
  projectRequests,
  kubectl,
  webhooks,
  access,
];
