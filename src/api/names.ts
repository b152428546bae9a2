/**
 * Names, labels and annotations that several programs have to agree on. What Kyma's systems read or write has Kyma's
 * value; where a fleet may differ, the value is only the default of a field of `TrustDomain`.
 *
 * @module
 */
import type { Resource } from '../kubernetes/resource.ts';

export const GROUP = 'keyturn.kyma-project.io';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}` as const;

/** Where the operator runs and trust domains are, unless told otherwise. */
export const DEFAULT_NAMESPACE = 'kcp-system';

/** Owner of the fields that we write, on the hub and on runtimes. */
export const FIELD_MANAGER = 'keyturn';

/** Owners whose fields are taken over by force; any other owner is a conflict to be named. */
export const KLM_FIELD_MANAGERS: readonly string[] = [
  'lifecycle-manager',
  'operator.kyma-project.io/lifecycle-manager',
  'manager',
];

export const TRUST_DOMAIN: Resource = {
  group: GROUP,
  version: VERSION,
  plural: 'trustdomains',
  kind: 'TrustDomain',
  namespaced: true,
};

export const RUNTIME_TRUST: Resource = {
  group: GROUP,
  version: VERSION,
  plural: 'runtimetrusts',
  kind: 'RuntimeTrust',
  namespaced: true,
};

export const KYMA: Resource = {
  group: 'operator.kyma-project.io',
  version: 'v1beta2',
  plural: 'kymas',
  kind: 'Kyma',
  namespaced: true,
};

export const CERTIFICATE: Resource = {
  group: 'cert-manager.io',
  version: 'v1',
  plural: 'certificates',
  kind: 'Certificate',
  namespaced: true,
};

/** What an issuer of cert-manager works on; its times tell how fast it is. */
export const CERTIFICATE_REQUEST: Resource = {
  group: 'cert-manager.io',
  version: 'v1',
  plural: 'certificaterequests',
  kind: 'CertificateRequest',
  namespaced: true,
};

export const GARDENER_CERTIFICATE: Resource = {
  group: 'cert.gardener.cloud',
  version: 'v1alpha1',
  plural: 'certificates',
  kind: 'Certificate',
  namespaced: true,
};

export const GATEWAY: Resource = {
  group: 'networking.istio.io',
  version: 'v1beta1',
  plural: 'gateways',
  kind: 'Gateway',
  namespaced: true,
};

/** On the gateway Secret. */
export const GATEWAY_ANNOTATION = {
  /** JSON object: digest of a root → resourceVersion that the write which put it in replaced. */
  added: `${GROUP}/added`,
  /** Digests of roots about to leave, separated by commas. */
  closing: `${GROUP}/closing`,
  /** RFC 3339; written for programs that still read it, never decided by. */
  caAddedToBundleAt: 'caAddedToBundleAt',
} as const;

/** On a runtime's Secret and webhook configuration: serial of the delivery that wrote it. */
export const DELIVERY_ANNOTATION = `${GROUP}/delivery`;

/** Keys of a TLS Secret, on the hub and on runtimes. */
export const SECRET_KEY = { certificate: 'tls.crt', privateKey: 'tls.key', bundle: 'ca.crt' } as const;

/** What Kyma writes on a Kyma and on what belongs to one. */
export const KYMA_LABEL = {
  /** Becomes the common name of the client certificate. */
  runtimeId: 'kyma-project.io/runtime-id',
  /** On a kubeconfig Secret: the Kyma it belongs to. */
  kymaName: 'operator.kyma-project.io/kyma-name',
  /** `true`, in any case: leave this Kyma alone. */
  skipReconciliation: 'operator.kyma-project.io/skip-reconciliation',
  managedBy: 'operator.kyma-project.io/managed-by',
  purpose: 'operator.kyma-project.io/purpose',
} as const;

/** Labels of a client certificate's Secret, as readers of Kyma's hub select it. */
export const CLIENT_SECRET_LABELS = {
  [KYMA_LABEL.purpose]: 'klm-watcher-cert-manager',
  [KYMA_LABEL.managedBy]: 'lifecycle-manager',
} as const;

/** Labels of what we create in a runtime, so that Kyma's clean-up finds it. */
export const RUNTIME_OBJECT_LABELS = { [KYMA_LABEL.managedBy]: 'kyma' } as const;

/** On a Kyma: the domain of the runtime, first DNS name of its client certificate. */
export const SKR_DOMAIN_ANNOTATION = 'skr-domain';

/** Key of a kubeconfig Secret. */
export const KUBECONFIG_KEY = 'config';

/** Where the next server certificate is kept aside; beside the gateway Secret, but no gateway reads it. */
export function candidateSecretName(gatewaySecret: string): string {
  return `${gatewaySecret}-candidate`;
}

/** Name of a runtime's Certificate and of its Secret in the hub. */
export function clientCertificateName(runtime: string): string {
  return `${runtime}-webhook-tls`;
}

/** DNS names of a client certificate, in the order that Kyma writes; it serves the runtime's webhook with it. */
export function clientDnsNames(
  skrDomain: string | undefined,
  additional: readonly string[],
  webhookName: string,
  runtimeNamespace: string,
): readonly string[] {
  const service = `${webhookName}.${runtimeNamespace}.svc`;
  const names = [skrDomain ?? '', ...additional, `${service}.cluster.local`, service];
  return [...new Set(names.filter((name) => name !== ''))];
}
