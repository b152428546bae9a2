import { startCluster } from '../../src/sandbox/api-server/start-cluster.ts';
import { describeContract } from './contract.ts';
import { kindsSeenFromNowOn } from './record-kinds.ts';

describeContract('embedded', async () => {
  const seen = kindsSeenFromNowOn();
  const cluster = await startCluster({ name: 'contract' });
  const { server, caPem, adminToken, clientCertificate } = cluster;
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
