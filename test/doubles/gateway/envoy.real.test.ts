import { startWorld } from '../../../world/real/world.ts';
import { describeGateway } from './gateway-suite.ts';

describeGateway('real', () => startWorld({ runtimes: 0, istio: true, gateways: 1 }));
