import { startEmbeddedWorld } from '../../../world/embedded/world.ts';
import { describeIssuer } from './issuer-suite.ts';
import { backoffSeconds } from './issuer-under-test.ts';

describeIssuer('double', () =>
  startEmbeddedWorld({
    runtimes: 0,
    certManager: { approve: false, backoffSeconds },
    seed: 1,
    signal: new AbortController().signal,
  }),
);
