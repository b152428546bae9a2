import { CERTIFICATE, GARDENER_CERTIFICATE } from '../../api/names.ts';
import { isIssuing } from '../../issuers/issuing-state.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isDenied, isNotFound } from '../../kubernetes/errors.ts';
import type { KubeObject, ObjectRef, Resource } from '../../kubernetes/resource.ts';

/** Who can be asked for another root. */
export type RootIssuer =
  | { readonly kind: 'cert-manager' | 'gardener'; readonly certificate: KubeObject; readonly busy: boolean }
  | {
      readonly kind: 'unknown';
      /** Kinds that could not be looked through for want of rights. */
      readonly hidden: readonly string[];
    };

/** Finds who writes the root Secret, from what stands beside it. */
export async function findRootIssuer(
  client: KubeClient,
  rootSecret: ObjectRef,
  call: CallOptions,
): Promise<RootIssuer> {
  const hidden: string[] = [];
  const candidates = async (resource: Resource): Promise<readonly KubeObject[]> => {
    try {
      const selection = rootSecret.namespace === undefined ? {} : { namespace: rootSecret.namespace };
      return (await client.list<KubeObject>(resource, selection, call)).items;
    } catch (error) {
      // An issuer that is not installed has no such kind.
      if (isNotFound(error)) return [];
      if (!isDenied(error)) throw error;
      hidden.push(`${resource.plural}.${resource.group}`);
      return [];
    }
  };
  const [certManager, gardener] = await Promise.all([candidates(CERTIFICATE), candidates(GARDENER_CERTIFICATE)]);
  const ours = certManager.find((certificate) => secretOf(certificate) === rootSecret.name);
  if (ours !== undefined) return { kind: 'cert-manager', certificate: ours, busy: isIssuing(ours) };
  const theirs = gardener.find((certificate) => secretOf(certificate) === rootSecret.name);
  if (theirs !== undefined) {
    return { kind: 'gardener', certificate: theirs, busy: specOf(theirs)['renew'] === true };
  }
  return { kind: 'unknown', hidden };
}

/** The Secret that a Certificate fills; cert-manager and Gardener name it alike, Gardener also by reference. */
function secretOf(certificate: KubeObject): unknown {
  const { secretName, secretRef } = specOf(certificate) as {
    readonly secretName?: unknown;
    readonly secretRef?: { readonly name?: unknown; readonly namespace?: unknown };
  };
  const elsewhere = secretRef?.namespace !== undefined && secretRef.namespace !== certificate.metadata.namespace;
  return secretName ?? (elsewhere ? undefined : secretRef?.name);
}

function specOf(certificate: KubeObject): Readonly<Record<string, unknown>> {
  return (certificate['spec'] ?? {}) as Readonly<Record<string, unknown>>;
}
