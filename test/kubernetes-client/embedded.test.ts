import { startCluster } from '../../src/sandbox/api-server/start-cluster.ts';
import { describeClient } from './client-suite.ts';

describeClient(async () => {
  const { kubeconfig, faults, stop } = await startCluster({ name: 'client' });
  return {
    kubeconfig,
    fallSilent() {
      const silence = faults.silence();
      return () => silence.remove();
    },
    stop,
  };
});
