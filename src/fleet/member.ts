import type { OwnerReference } from '../kubernetes/resource.ts';

/** One runtime of the fleet, as the hub names it. */
export interface Member {
  /** Of the Kyma or, where the fleet is a selection of kubeconfig Secrets, what names the runtime there. */
  readonly name: string;
  /** Where its record belongs: beside what it is made from. */
  readonly namespace: string;
  /** The Kyma or kubeconfig Secret; with it the record goes. */
  readonly owner: OwnerReference;
  /** Common name of its client certificate; empty where it has no id. */
  readonly commonName: string;
  readonly domain: string | undefined;
  /** It is not written to, but it counts. */
  readonly skipped: boolean;
  readonly access: Access;
}

/** The credentials for a runtime's cluster. */
export type Access =
  | { readonly state: 'found'; readonly version: string; readonly kubeconfig: string }
  | { readonly state: 'missing' | 'ambiguous' };
