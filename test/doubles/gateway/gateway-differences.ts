import type { Differences } from '../differences.ts';

/** What the gateway of the sandbox does otherwise than istiod and Envoy, on purpose. */
export const gatewayDifferences = {
  'a client certificate is refused by hanging up, without an alert': {
    double: true,
    real: false,
    because: 'Node judges after the handshake and has no means to send an alert; the probe takes both for a refusal.',
  },
  'no session is resumed': {
    double: true,
    real: false,
    because: 'Each handshake is to be judged; and with Envoy, too, no session outlives a change of either half.',
  },
  'a client certificate with an intermediate is refused': {
    double: true,
    real: false,
    because: 'No issuer here makes one: roots sign leaves, and what else may be presented is not ours to judge.',
  },
  'HTTP/2 is not spoken': {
    double: true,
    real: false,
    because: 'Nothing that calls the gateway needs it, and a kept connection is one request at a time.',
  },
} as const satisfies Differences;
