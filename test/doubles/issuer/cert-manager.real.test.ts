import { startWorld } from '../../../world/real/world.ts';
import { describeIssuer } from './issuer-suite.ts';
import { backoffSeconds } from './issuer-under-test.ts';

describeIssuer('real', () => startWorld({ runtimes: 0, certManager: { approve: false, backoffSeconds } }));
