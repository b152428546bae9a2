import { startCluster } from '../../src/sandbox/api-server/start-cluster.ts';
import { describeContract } from './contract.ts';
import { kindSeen } from './record-kinds.ts';

describeContract('embedded', async () => {
  const cluster = await startCluster({ name: 'contract' });
  const { server, caPem, adminToken, clientCertificate } = cluster;
  const seen = new Set<string>();
  cluster.onRequest((request) => seen.add(kindSeen(request)));
  return {
    name: 'embedded',
    server,
    caPem,
    adminToken,
    clientCertificate,
    kindsSeen: () => seen,
    stop: () => cluster.stop(),
  };
});
