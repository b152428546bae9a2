/**
 * The words in which decisions speak. Plain, immutable values: what a certificate *is* was settled from its bytes
 * when it was observed (S6), so nothing here is parsed, verified or compared by age.
 *
 * @module
 */

/** SHA-256 of a certificate's DER, hex: the identity of a certificate. */
export type Digest = string;
/** SHA-256 of a subject public key info, hex: the identity of a key. A renewed root keeps it, a re-keyed one does not. */
export type KeyId = string;

/** A CA certificate that a bundle may hold. */
export interface Root {
  readonly digest: Digest;
  readonly keyId: KeyId;
  /** Canonical subject name; roots of one fleet often share it. */
  readonly subject: string;
  /** Hex; `null` when it carries none. Verifiers tell roots of one subject apart by it. */
  readonly subjectKeyId: string | null;
  /** Epoch milliseconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A leaf, or a root that serves as one (KLM's layout). */
export interface Leaf {
  readonly digest: Digest;
  /** Key of the root whose signature was verified on it; `null` when no known root signed it. */
  readonly signer: KeyId | null;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A leaf that the gateway presents. */
export interface ServerLeaf extends Leaf {
  /** DNS names it covers, wildcards included. */
  readonly dnsNames: readonly string[];
  /** The root itself is presented, as KLM does. */
  readonly isRoot: boolean;
}

/** The gateway Secret as one live read showed it. */
export interface GatewaySecret {
  readonly resourceVersion: string;
  /** `ca.crt`, in its order. */
  readonly bundle: readonly Root[];
  /**
   * Root → the write that put it in, told by the resourceVersion which that write replaced. A root that is dropped and
   * comes back has another one, so a proof of its first stay cannot be taken for one of its second (proof belongs to a value).
   */
  readonly added: Readonly<Record<Digest, string>>;
  /** `null` when absent, unreadable, or its key does not match. */
  readonly server: ServerLeaf | null;
  /** Roots that are about to leave: no delivery begun after the mark sends a pair of one of them. */
  readonly closing: readonly Digest[];
}

/** A root of the bundle that every endpoint is proven to trust, together with the write that put it in. */
export interface TrustedRoot {
  readonly digest: Digest;
  readonly added: string;
}

/** One value of a runtime's Secret that its watcher may be using. */
export interface HeldValue {
  /** Names the delivery that wrote it; a foreign value carries the one it was found with, or none. */
  readonly serial: string;
  readonly bundle: readonly Digest[];
  readonly client: HeldClient | null;
  /**
   * `intended`: registered, the answer of the write is not known · `confirmed`: ours and answered · `adopted`: found there,
   * written by somebody whose record is lost; an older write of his may still be under way.
   */
  readonly state: 'intended' | 'confirmed' | 'adopted';
  /** Of the runtime's Secret once confirmed or adopted, empty before. */
  readonly resourceVersion: string;
}

/** A client certificate as a record keeps it. */
export interface HeldClient {
  readonly digest: Digest;
  readonly signer: KeyId | null;
  readonly notAfterMs: number;
}

/** What a runtime may be using, oldest first: the record in its `RuntimeTrust`. */
export interface Holdings {
  /**
   * What may be in use beside `values`: `nothing` · `unseen`: never looked, and nothing was ever delivered · `lost`: the
   * record is gone, so anything (S6).
   */
  readonly beyond: 'nothing' | 'unseen' | 'lost';
  readonly values: readonly HeldValue[];
}

/** The record of a runtime of which nothing is known. */
export const LOST: Holdings = { beyond: 'lost', values: [] };
