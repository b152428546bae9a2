import { pause } from '../../world/wait.ts';

/**
 * Tries until it does not throw. Not `expect.poll`: that belongs to the one test that runs, and of these several do.
 *
 * @throws what the last try threw
 */
export async function eventually(check: () => Promise<void> | void, timeoutMs = 40_000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() >= deadlineMs) throw error;
    }
    await pause(50);
  }
}
