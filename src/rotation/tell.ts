/** What a controller has to say beside its statuses. Messages are constant; what varies is a fact with a name. Never a key or token (S4). */
export interface Tell {
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
}

export type Facts = Readonly<Record<string, unknown>>;

/** The same with facts that every message carries. */
export function tellOf(tell: Tell, always: Facts): Tell {
  return {
    info: (message, facts) => tell.info(message, { ...always, ...facts }),
    warn: (message, facts) => tell.warn(message, { ...always, ...facts }),
    error: (message, facts) => tell.error(message, { ...always, ...facts }),
  };
}
