import type { ServerResponse } from 'node:http';
import type { FaultPlan, RequestOnItsWay } from '../faults.ts';
import type { WatchSink } from '../verbs/watch.ts';

/** A client that reads this much too slowly is cut off, as by a real server. */
const LARGEST_BACKLOG_BYTES = 64 * 1024 * 1024;

/** Writes a watch's lines to its connection; planted faults hold them back or lose them. */
export function watchSink(response: ServerResponse, faults: FaultPlan, seen: RequestOnItsWay): WatchSink {
  /** Lines held back by a silence. */
  let held: (() => void)[] | undefined;
  const write = (action: () => void): void => {
    const silence = faults.silenceOn(seen);
    if (held === undefined && silence === undefined) {
      action();
      return;
    }
    if (held !== undefined) {
      held.push(action);
      return;
    }
    held = [action];
    void silence?.then(() => {
      const due = held ?? [];
      held = undefined;
      for (const one of due) write(one);
    });
  };
  return {
    send: (line) =>
      write(() => {
        if (response.destroyed || response.writableEnded) return;
        response.write(line);
        if (response.writableLength > LARGEST_BACKLOG_BYTES) response.destroy();
      }),
    end: () => write(() => response.end()),
    onClosed: (listener) => {
      if (response.closed || response.destroyed) listener();
      else response.once('close', listener);
    },
    delivers: (type) => type === 'BOOKMARK' || !faults.losesEvent(seen),
  };
}
