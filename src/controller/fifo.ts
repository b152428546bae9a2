/** Strings in order of arrival, each once, with removal from anywhere. */
export interface Fifo {
  readonly size: number;
  has(key: string): boolean;
  push(key: string): void;
  shift(): string | undefined;
  delete(key: string): void;
  clear(): void;
}

/**
 * A Set alone keeps the order too, but taking its first entry skips the holes that earlier takes have left:
 * quadratic, 8 s for 100,000 keys.
 */
export function createFifo(): Fifo {
  const members = new Set<string>();
  /** Entries before `head`, and those that are no members any more, are holes. */
  let order: string[] = [];
  let head = 0;
  return {
    get size() {
      return members.size;
    },
    has: (key) => members.has(key),
    push(key) {
      if (members.has(key)) return;
      members.add(key);
      order.push(key);
    },
    shift() {
      while (head < order.length) {
        const key = order[head] as string;
        head += 1;
        if (head > 1024 && head * 2 > order.length) {
          order = order.slice(head);
          head = 0;
        }
        if (members.delete(key)) return key;
      }
      return undefined;
    },
    delete: (key) => void members.delete(key),
    clear() {
      members.clear();
      order = [];
      head = 0;
    },
  };
}
