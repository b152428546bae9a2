import type { NoAnswerReason } from './errors.ts';

export interface ConnectionFailure {
  readonly reason: NoAnswerReason;
  readonly detail: string;
}

/** Codes that Node and OpenSSL give where the server's certificate, or ours, is not accepted. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|HOSTNAME_MISMATCH)|^EPROTO$/;

/** Names a failed connection by its code: texts of lower layers are long, change, and may quote what they met. */
export function failureFrom(error: unknown, sent: boolean): ConnectionFailure {
  const code = codeOf(error);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return { reason: 'ClientClosed', detail: 'the client was closed' };
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return { reason: 'MalformedResponse', detail: 'the answer is larger than allowed' };
  }
  if (TLS_CODE.test(code)) return { reason: 'TlsFailed', detail: `the TLS connection failed (${code})` };
  if (code.startsWith('HPE_')) return { reason: 'MalformedResponse', detail: `the answer is no HTTP (${code})` };
  if (sent) return { reason: 'ConnectionLost', detail: `the connection was lost (${code})` };
  return { reason: 'Unreachable', detail: `the server cannot be reached (${code})` };
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown cause';
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  // A name with several addresses fails with one error for each.
  if (Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  return cause === undefined ? 'unknown cause' : codeOf(cause);
}
