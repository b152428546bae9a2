import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Bundle, parseBundle } from '../../pki/bundle.ts';
import { parsePair } from '../../pki/pair.ts';
import type { GatewayCredential } from './credential-feed.ts';

/** The same shape in which Envoy's admin port tells of a resource. */
export interface ActiveSecret {
  readonly pem: string;
  readonly version: string;
  /** RFC 3339: when the endpoint took it. */
  readonly lastUpdated: string;
}

/**
 * What one endpoint holds, as its admin port tells it; each half is undefined before it has arrived. A half that the endpoint
 * could not use stands here as well, with the time of the last one that it could.
 */
export interface CredentialsInUse {
  /** Certificate chain that it presents. */
  readonly serverCertificate: ActiveSecret | undefined;
  /** Roots that it accepts client certificates of. */
  readonly bundle: ActiveSecret | undefined;
}

/**
 * The two resources that an endpoint holds. Each arrives by itself and is kept even where it is bad; what is served changes
 * when both halves that are held are good. So behind a bad half a good one of the other kind waits, as with Envoy.
 */
export interface LoadedCredential {
  /** @returns false where what is held cannot be used now: whatever else came with it is passed over */
  takePair(credential: GatewayCredential, nowMs: number): boolean;
  takeBundle(credential: GatewayCredential, nowMs: number): boolean;
  /** To serve with; undefined until both are there. */
  ready(): Served | undefined;
  inUse(): CredentialsInUse;
  /** As after a restart. */
  forget(): void;
}

interface Served {
  readonly context: SecureContext;
  readonly bundle: Bundle;
}

interface HeldPair extends ActiveSecret {
  readonly keyPem: string;
}

export function createLoadedCredential(): LoadedCredential {
  let pair: HeldPair | undefined;
  let bundle: ActiveSecret | undefined;
  let served: Served | undefined;

  /** Whether what is held can be used; where one half is still to come, nothing speaks against it. */
  const serve = (): boolean => {
    if (pair === undefined || bundle === undefined) return true;
    const trusted = readableBundle(bundle.pem);
    if (trusted === undefined || !parsePair({ certificatePem: pair.pem, keyPem: pair.keyPem }).ok) return false;
    served = { context: serverContext(pair.pem, pair.keyPem), bundle: trusted };
    return true;
  };
  const timeText = (ms: number): string => new Date(ms).toISOString();
  return {
    takePair({ pair: offered, version }, nowMs) {
      if (offered === undefined) return true;
      const { certificatePem: pem, keyPem } = offered;
      if (pair?.pem === pem && pair.keyPem === keyPem) return true;
      const lastUpdated = pair?.lastUpdated ?? timeText(nowMs);
      pair = { pem, keyPem, version, lastUpdated };
      if (!serve()) return false;
      pair = { ...pair, lastUpdated: timeText(nowMs) };
      return true;
    },
    takeBundle({ bundlePem: pem, version }, nowMs) {
      if (pem === undefined || bundle?.pem === pem) return true;
      const lastUpdated = bundle?.lastUpdated ?? timeText(nowMs);
      bundle = { pem, version, lastUpdated };
      if (!serve()) return false;
      bundle = { ...bundle, lastUpdated: timeText(nowMs) };
      return true;
    },
    ready: () => served,
    inUse: () => ({ serverCertificate: withoutKey(pair), bundle }),
    forget() {
      pair = undefined;
      bundle = undefined;
      served = undefined;
    },
  };
}

function withoutKey(pair: HeldPair | undefined): ActiveSecret | undefined {
  return pair === undefined ? undefined : { pem: pair.pem, version: pair.version, lastUpdated: pair.lastUpdated };
}

/** Envoy refuses a bundle as a whole for one bad block. */
function readableBundle(pem: string): Bundle | undefined {
  const { certificates, defects } = parseBundle(pem);
  const readable = defects.every(({ reason }) => reason === 'NotACertificateBlock');
  return certificates.length === 0 || !readable ? undefined : certificates;
}

function serverContext(certificatePem: string, keyPem: string): SecureContext {
  return createSecureContext({
    cert: certificatePem,
    key: keyPem,
    // The client is judged by `judgeClient`; without this, every context would carry the public roots of the web.
    ca: [],
    secureOptions: constants.SSL_OP_NO_TICKET,
  });
}
