import { startEmbeddedWorld } from '../../../world/embedded/world.ts';
import { describeGateway } from './gateway-suite.ts';

describeGateway('double', () =>
  startEmbeddedWorld({ runtimes: 0, endpoints: 1, bundleFirst: true, seed: 1, signal: new AbortController().signal }),
);
