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

/** What one endpoint uses now; each half is undefined before it has arrived. */
export interface CredentialsInUse {
  /** Certificate chain that it presents. */
  readonly serverCertificate: ActiveSecret | undefined;
  /** Roots that it accepts client certificates of. */
  readonly bundle: ActiveSecret | undefined;
}

/** The two resources that an endpoint holds. Each is replaced by itself, and keeps its old value where the new one is unreadable. */
export interface LoadedCredential {
  takePair(credential: GatewayCredential, nowMs: number): void;
  takeBundle(credential: GatewayCredential, nowMs: number): void;
  /** To serve with; undefined until both are there. */
  ready(): { readonly context: SecureContext; readonly bundle: Bundle } | undefined;
  inUse(): CredentialsInUse;
  /** As after a restart. */
  forget(): void;
}

export function createLoadedCredential(): LoadedCredential {
  let pair: { readonly active: ActiveSecret; readonly keyPem: string; readonly context: SecureContext } | undefined;
  let trusted: { readonly active: ActiveSecret; readonly bundle: Bundle } | undefined;
  return {
    takePair({ pair: offered, version }, nowMs) {
      if (offered === undefined) return;
      const { certificatePem, keyPem } = offered;
      if (pair?.active.pem === certificatePem && pair.keyPem === keyPem) return;
      if (!parsePair({ certificatePem, keyPem }).ok) return;
      const active = { pem: certificatePem, version, lastUpdated: new Date(nowMs).toISOString() };
      pair = { active, keyPem, context: serverContext(certificatePem, keyPem) };
    },
    takeBundle({ bundlePem, version }, nowMs) {
      if (bundlePem === undefined || trusted?.active.pem === bundlePem) return;
      const { certificates, defects } = parseBundle(bundlePem);
      // Envoy refuses a bundle as a whole for one bad block.
      const readable = defects.every(({ reason }) => reason === 'NotACertificateBlock');
      if (certificates.length === 0 || !readable) return;
      trusted = {
        active: { pem: bundlePem, version, lastUpdated: new Date(nowMs).toISOString() },
        bundle: certificates,
      };
    },
    ready() {
      return pair === undefined || trusted === undefined
        ? undefined
        : { context: pair.context, bundle: trusted.bundle };
    },
    inUse: () => ({ serverCertificate: pair?.active, bundle: trusted?.active }),
    forget() {
      pair = undefined;
      trusted = undefined;
    },
  };
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
