import type { Clock, Timer } from './clock.ts';
import { fairTurns, type Priority } from './fair-turns.ts';
import { createFifo, type Fifo } from './fifo.ts';

/**
 * Keys that wait to be worked on. A key stands in it once however often it is added, and is never handed out
 * again before {@link WorkQueue.done}: added meanwhile, it becomes ready when done (level-triggered, so no
 * event is lost and none is run twice).
 */
export interface WorkQueue {
  /** @param priority `high` for fresh events; `low` for the initial list and periodic visits, so that they do not delay events */
  add(key: string, priority?: Priority): void;
  /**
   * Ready after that time. One time per key: the earlier wins, and being ready now beats both. So a key that is
   * worked on has to say anew when it wants to be seen again.
   */
  addAfter(key: string, ms: number, priority?: Priority): void;
  /** The next ready key; undefined where none is. */
  take(): string | undefined;
  /** The key that was taken may be handed out again. */
  done(key: string): void;
  /** Keys ready now, those waiting for their time, those taken. */
  sizes(): { readonly ready: number; readonly delayed: number; readonly taken: number };
  /** Drops everything that is not taken, and all that comes later. */
  close(): void;
}

/** @param onReady called when a key becomes ready; may be called again before it is taken */
export function createWorkQueue(clock: Clock, onReady: () => void): WorkQueue {
  const ready: Readonly<Record<Priority, Fifo>> = { high: createFifo(), low: createFifo() };
  const delayed = new Map<string, { readonly dueMs: number; readonly priority: Priority; readonly timer: Timer }>();
  const taken = new Set<string>();
  const addedWhileTaken = new Map<string, Priority>();
  const turn = fairTurns();
  let closed = false;

  const undelay = (key: string): void => {
    delayed.get(key)?.timer.cancel();
    delayed.delete(key);
  };

  const add = (key: string, priority: Priority = 'high'): void => {
    if (closed) return;
    undelay(key);
    if (taken.has(key)) {
      addedWhileTaken.set(key, higher(priority, addedWhileTaken.get(key)));
      return;
    }
    if (ready.high.has(key)) return;
    if (priority === 'high') ready.low.delete(key);
    ready[priority].push(key);
    onReady();
  };

  const pick = (): string | undefined => ready[turn({ high: ready.high.size, low: ready.low.size })].shift();

  return {
    add,
    addAfter(key, ms, priority = 'high') {
      if (closed || ready.high.has(key) || ready.low.has(key) || addedWhileTaken.has(key)) return;
      // A time that has passed by a moment must not become a hot loop of negative timers (B50).
      const waitMs = Math.max(0, ms);
      const dueMs = clock.monotonicMs() + waitMs;
      const present = delayed.get(key);
      if (present !== undefined && present.dueMs <= dueMs) return;
      undelay(key);
      const timer = clock.setTimer(waitMs, () => {
        delayed.delete(key);
        add(key, priority);
      });
      delayed.set(key, { dueMs, priority, timer });
    },
    take() {
      const key = pick();
      if (key !== undefined) taken.add(key);
      return key;
    },
    done(key) {
      if (!taken.delete(key)) return;
      const priority = addedWhileTaken.get(key);
      addedWhileTaken.delete(key);
      if (priority !== undefined) add(key, priority);
    },
    sizes: () => ({ ready: ready.high.size + ready.low.size, delayed: delayed.size, taken: taken.size }),
    close() {
      closed = true;
      for (const { timer } of delayed.values()) timer.cancel();
      delayed.clear();
      addedWhileTaken.clear();
      ready.high.clear();
      ready.low.clear();
    },
  };
}

function higher(a: Priority, b: Priority | undefined): Priority {
  return a === 'high' || b === 'high' ? 'high' : 'low';
}
