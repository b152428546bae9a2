/**
 * One read for all who ask while it has not begun. Who asks gets a read that begins after the asking, which is what an
 * order of reads needs: joining one under way could show a state from before.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    if (next !== undefined) return next;
    next = running.then(() => {
      next = undefined;
      const begun = read();
      running = begun.catch(() => undefined);
      return begun;
    });
    return next;
  };
}
