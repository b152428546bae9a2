import { type DestinationStream, pino } from 'pino';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What varies about a message, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** JSON lines. Messages are constant, so that they can be counted; what varies is a fact. */
export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
  /** The same log with facts that every line carries. */
  with(facts: Facts): Log;
  /** Of this log and all that came from it with `with`. */
  setLevel(level: LogLevel): void;
}

export interface LogOptions {
  /** @default info */
  readonly level?: LogLevel;
  /** @default standard output, written at once, so that nothing is lost when the process ends */
  readonly destination?: DestinationStream;
}

/** Facts that may hold a secret by mistake; a line says that they were there and no more (S4). */
const secretFacts = ['data', 'stringData', 'kubeconfig', 'token', 'password', 'privateKey', 'authorization', 'keyPem'];
const secretKeys = ['["tls.key"]', '["tls.crt"]', '["ca.crt"]'];
const redacted = [
  ...secretFacts.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
  ...secretKeys.flatMap((key) => [key, `*${key}`, `*.*${key}`]),
];

/** Secrets inside a text, an error message say: a PEM block in a JSON string, a token in a header. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/gs, '[Redacted]'],
  [/\bBearer [A-Za-z0-9._~+/-]{8,}=*/g, 'Bearer [Redacted]'],
];

export function createLog({ level = 'info', destination }: LogOptions = {}): Log {
  const lines = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      redact: { paths: redacted, censor: '[Redacted]' },
      serializers: { error: describeError },
      hooks: {
        streamWrite: (line) => secretTexts.reduce((text, [secret, instead]) => text.replace(secret, instead), line),
      },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  const enabled: { level: LogLevel } = { level };
  const from = (always: Facts): Log => {
    const say =
      (at: LogLevel) =>
      (message: string, facts: Facts = {}): void => {
        if (LOG_LEVELS.indexOf(at) >= LOG_LEVELS.indexOf(enabled.level)) lines[at]({ ...always, ...facts }, message);
      };
    return {
      debug: say('debug'),
      info: say('info'),
      warn: say('warn'),
      error: say('error'),
      with: (facts) => from({ ...always, ...facts }),
      setLevel(to) {
        enabled.level = to;
        lines.level = to;
      },
    };
  };
  return from({});
}

/** Message, code and causes of a fault; no stack, which names files of the build and nothing a reader can act on. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  const reason = 'reason' in error ? { reason: error.reason } : {};
  return { name, message, ...code, ...reason, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
