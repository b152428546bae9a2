import type { SecretObject } from '../kubernetes/resource.ts';

/** What the client certificate of one runtime should be. */
export interface ClientCertificate {
  /** Of the runtime. */
  readonly runtime: string;
  /** The id that the hub knows the runtime by; empty where it has none. */
  readonly commonName: string;
  /** In their order; never an empty one. */
  readonly dnsNames: readonly string[];
}

/** The issuer's resource for one runtime, and the Secret that it fills. */
export interface IssuerReading {
  readonly exists: boolean;
  /** It says what it should: names, duration, key, issuer. */
  readonly asSpecified: boolean;
  readonly issuing: boolean;
  /** Epoch milliseconds until which the issuer waits after a failure; 0 if it does not. */
  readonly backOffUntilMs: number;
  /** Issuances that failed since the last good one. */
  readonly failures: number;
  /** Bytes of the pair, as the issuer last wrote them. */
  readonly secret: SecretObject | undefined;
}

/** `again`: it changed since it was read, so look at it again. */
export type IssuerAnswer = 'done' | 'again' | { readonly refused: string };

/**
 * Who has client certificates signed. Reads come from what is watched; every write is conditional on what was read, so a
 * stale read costs a second look and never a second issuance.
 */
export interface Issuer {
  read(wanted: ClientCertificate): IssuerReading;
  /** Creates the resource or brings it to what is wanted. */
  apply(wanted: ClientCertificate, signal: AbortSignal): Promise<IssuerAnswer>;
  /** Asks for another certificate, once per issuance. */
  renew(runtime: string, signal: AbortSignal): Promise<IssuerAnswer>;
  /** Issuances under way, those just asked for included. */
  underWay(): number;
  /** Removes the resource and its Secret, for a runtime that is gone. */
  remove(runtime: string, signal: AbortSignal): Promise<void>;
}
