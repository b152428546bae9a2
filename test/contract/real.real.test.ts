import { startApiServers } from '../../world/real/api-servers.ts';
import { openWorkspace } from '../../world/workspace.ts';
import { describeContract } from './contract.ts';

describeContract('real', async () => {
  const workspace = await openWorkspace();
  const servers = await startApiServers(workspace);
  const { server, caPem, adminToken, clientCertificate } = await servers.start('contract');
  return {
    name: 'real',
    server,
    caPem,
    adminToken,
    clientCertificate,
    stop: async () => {
      await servers.stop();
      await workspace.close({ keepLogs: false });
    },
  };
});
