import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { Member } from '../../fleet/member.ts';
import type { ObjectRef, SecretObject } from '../../kubernetes/resource.ts';
import type { Bundle } from '../../pki/bundle.ts';
import type { GatewayRefs } from './observe-gateway.ts';

/** What a trust domain's controllers know from watches. */
export interface DomainStores {
  readonly ref: ObjectRef;
  /** The references that its watches were started with. */
  readonly refs: GatewayRefs;
  /** An older trust domain that names the same gateway Secret. */
  olderTwin(): string | undefined;
  members(): ReadonlyMap<string, Member>;
  records(): ReadonlyMap<string, RuntimeTrust>;
  clientSecrets(): readonly SecretObject[];
  /** Bundles that this process last read from runtimes; used when the gateway Secret was lost. */
  runtimeBundles(): readonly Bundle[];
  /** Runtimes that this process has not looked at yet. */
  unseenRuntimes(): number;
}
