import { CERTIFICATE, GARDENER_CERTIFICATE } from '../../api/names.ts';
import { askedToIssue } from '../../issuers/issuing-state.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { type KubeObject, keyOf, type ObjectRef, refOf } from '../../kubernetes/resource.ts';
import { CommandFailure } from '../exit-code.ts';
import type { RootIssuer } from './root-issuer.ts';

/**
 * Asks the root's issuer for another root, the way that issuer is asked. Conditional on what was read, so an issuance that
 * began meanwhile is not asked for twice.
 *
 * @returns what was asked of whom, as a sentence
 */
export async function askForRoot(
  client: KubeClient,
  issuer: RootIssuer,
  rootSecret: ObjectRef,
  nowMs: number,
  call: CallOptions,
): Promise<string> {
  const write = { ...call, fieldManager: 'keyturn-command' };
  switch (issuer.kind) {
    case 'cert-manager': {
      const { certificate } = issuer;
      const name = `Certificate ${keyOf(refOf(certificate))}`;
      if (issuer.busy) return `cert-manager is at work on ${name} already, so it was not asked again`;
      await client.replaceStatus(CERTIFICATE, askedToIssue(certificate, nowMs), write);
      return `cert-manager was asked to issue ${name} again${keepsItsKey(certificate) ? '; it keeps its key, as its rotationPolicy says' : ''}`;
    }
    case 'gardener': {
      const { certificate } = issuer;
      const name = `Certificate ${keyOf(refOf(certificate))}`;
      if (issuer.busy) return `Gardener cert-management is to renew ${name} already, so it was not asked again`;
      const { resourceVersion } = certificate.metadata;
      // A bound that lies in the past would be answered by it instead.
      const patch = { metadata: { resourceVersion }, spec: { renew: true, ensureRenewedAfter: null } };
      await client.mergePatch(GARDENER_CERTIFICATE, refOf(certificate), patch, write);
      return `Gardener cert-management was asked to renew ${name}`;
    }
    case 'unknown':
      throw new CommandFailure(unknownIssuer(rootSecret, issuer.hidden));
  }
}

function unknownIssuer(rootSecret: ObjectRef, hidden: readonly string[]): string {
  const what =
    'write a new self-signed CA certificate and its key into tls.crt and tls.key of that Secret, in one step';
  const known = `Nobody is known who issues the root Secret ${keyOf(rootSecret)}: no Certificate of cert-manager or Gardener names it`;
  return hidden.length === 0
    ? `${known}. Do it by hand: ${what}; everything else follows`
    : `${known} among those that you may see. Ask for the right to list ${hidden.join(', ')} in ${rootSecret.namespace ?? ''}, or ${what}`;
}

/** cert-manager's older default: the same key under a new certificate is a renewal, not a new root key. */
function keepsItsKey(certificate: KubeObject): boolean {
  const { privateKey } = (certificate['spec'] ?? {}) as { readonly privateKey?: { readonly rotationPolicy?: string } };
  return privateKey?.rotationPolicy === 'Never';
}
