import { startApiServers } from '../../world/real/api-servers.ts';
import { openWorkspace } from '../../world/workspace.ts';
import { describeClient } from './client-suite.ts';

describeClient(async () => {
  const workspace = await openWorkspace();
  const servers = await startApiServers(workspace);
  const { kubeconfig, kill } = await servers.start('client');
  return {
    kubeconfig,
    fallSilent() {
      kill('SIGSTOP');
      return () => kill('SIGCONT');
    },
    async stop() {
      await servers.stop();
      await workspace.close({ keepLogs: false });
    },
  };
});
