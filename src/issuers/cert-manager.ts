import { CERTIFICATE, CLIENT_SECRET_LABELS, clientCertificateName, FIELD_MANAGER } from '../api/names.ts';
import type { TrustDomainSpec } from '../api/trust-domain.ts';
import type { Clock } from '../controller/clock.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { isConflict, isFieldConflict, isNotFound } from '../kubernetes/errors.ts';
import { type KubeObject, SECRET, type SecretObject } from '../kubernetes/resource.ts';
import type { StoreReader } from '../kubernetes/store.ts';
import { certificateResource, saysAll } from './certificate-resource.ts';
import { mayTakeOver, ownersIn } from './field-owners.ts';
import type { ClientCertificate, Issuer } from './issuer.ts';
import { askedToIssue, backOffUntilMs, failedIssuances, isIssuing } from './issuing-state.ts';

export interface CertManagerOptions {
  readonly client: KubeClient;
  readonly issuer: () => TrustDomainSpec['issuer'];
  readonly certificates: StoreReader<KubeObject>;
  readonly secrets: StoreReader<SecretObject>;
  readonly clock: Clock;
}

/** cert-manager as an issuer: one `Certificate` per runtime, condition `Issuing` to have it signed again. */
export function certManager(options: CertManagerOptions): Issuer {
  const { client, certificates, secrets, clock } = options;
  /** Name → version of the Certificate when it was asked; until the watch shows another one, the issuance counts as under way. */
  const asked = new Map<string, string>();

  /** Kept by events: to count them anew for each of ten thousand runtimes would be a hundred million looks. */
  const issuing = new Set(certificates.list().filter(isIssuing).map(keyOfObject));
  certificates.subscribe(({ key, kind, object }) => {
    if (kind !== 'removed' && isIssuing(object)) issuing.add(key);
    else issuing.delete(key);
  });

  const keyFor = (runtime: string): string => `${options.issuer().namespace}/${clientCertificateName(runtime)}`;
  const isAsked = (key: string): boolean => {
    const version = asked.get(key);
    if (version === undefined) return false;
    if (certificates.byKey(key)?.metadata.resourceVersion === version) return true;
    asked.delete(key);
    return false;
  };

  return {
    read(wanted) {
      const key = keyFor(wanted.runtime);
      const certificate = certificates.byKey(key);
      const secret = secrets.byKey(key);
      if (certificate === undefined) {
        return { exists: false, asSpecified: false, issuing: false, backOffUntilMs: 0, failures: 0, secret };
      }
      const underWay = isIssuing(certificate) || isAsked(key);
      return {
        exists: true,
        asSpecified: saysAll(certificate, certificateResource(options.issuer(), wanted)),
        issuing: underWay,
        backOffUntilMs: underWay ? 0 : backOffUntilMs(certificate),
        failures: failedIssuances(certificate),
        secret,
      };
    },

    async apply(wanted: ClientCertificate, signal) {
      const resource = certificateResource(options.issuer(), wanted);
      const apply = (force: boolean) =>
        client.apply(CERTIFICATE, resource, { signal, fieldManager: FIELD_MANAGER, force });
      try {
        await apply(false);
      } catch (error) {
        if (!isFieldConflict(error)) throw error;
        if (!mayTakeOver(error.fieldConflicts)) return { refused: ownersIn(error.fieldConflicts).join(', ') };
        await apply(true);
      }
      return 'done';
    },

    async renew(runtime, signal) {
      const key = keyFor(runtime);
      const certificate = certificates.byKey(key);
      const secret = secrets.byKey(key);
      if (certificate === undefined || isIssuing(certificate) || isAsked(key)) return 'again';
      // The Certificate and its Secret are watched apart: the end of an issuance may show before the pair that it made.
      const live = await client.find<SecretObject>(SECRET, refTo(options.issuer().namespace, runtime), { signal });
      if (live?.metadata.resourceVersion !== secret?.metadata.resourceVersion) return 'again';
      try {
        await client.replaceStatus(CERTIFICATE, askedToIssue(certificate, clock.nowMs()), {
          signal,
          fieldManager: FIELD_MANAGER,
        });
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return 'again';
        throw error;
      }
      asked.set(key, certificate.metadata.resourceVersion ?? '');
      return 'done';
    },

    underWay() {
      return issuing.size + [...asked.keys()].filter(isAsked).length;
    },

    async remove(runtime, signal) {
      const ref = refTo(options.issuer().namespace, runtime);
      const certificate = await client.find<KubeObject>(CERTIFICATE, ref, { signal });
      // The Certificate first, or cert-manager would make its Secret anew.
      if (certificate?.metadata.uid !== undefined && isClientCertificate(certificate)) {
        await client.delete(CERTIFICATE, ref, { signal, uid: certificate.metadata.uid });
      }
      const secret = await client.find<SecretObject>(SECRET, ref, { signal });
      if (secret?.metadata.uid !== undefined && carries(secret.metadata.labels)) {
        await client.delete(SECRET, ref, { signal, uid: secret.metadata.uid });
      }
    },
  };
}

function refTo(namespace: string, runtime: string): { readonly namespace: string; readonly name: string } {
  return { namespace, name: clientCertificateName(runtime) };
}

function keyOfObject({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Made for a runtime by us or the lifecycle-manager; anything else of that name is somebody else's. */
function isClientCertificate(certificate: KubeObject): boolean {
  const { secretTemplate } = (certificate['spec'] ?? {}) as { readonly secretTemplate?: { readonly labels?: Labels } };
  return carries(secretTemplate?.labels);
}

type Labels = Readonly<Record<string, string>>;

function carries(labels: Labels | undefined): boolean {
  return Object.entries(CLIENT_SECRET_LABELS).every(([key, value]) => labels?.[key] === value);
}
