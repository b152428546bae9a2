import { CERTIFICATE, GARDENER_CERTIFICATE, GATEWAY, KYMA, RUNTIME_TRUST, TRUST_DOMAIN } from '../../src/api/names.ts';
import {
  EVENT,
  LEASE,
  POD,
  type Resource,
  SECRET,
  SERVICE,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../../src/kubernetes/resource.ts';

const rbac = (plural: string, kind: string, namespaced: boolean): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
});
const certManager = (plural: string, kind: string, namespaced = true): Resource => ({
  ...CERTIFICATE,
  plural,
  kind,
  namespaced,
});
const roleRef = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'nobody' });
const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['none'], verbs: ['get'] }];
const subjects = [{ kind: 'ServiceAccount', name: 'nobody', namespace: 'default' }];

export interface LifeCycle {
  readonly resource: Resource;
  /** In the sentences of tests. @default the kind */
  readonly called?: string;
  /** All of a new object but its type and metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** What a status of it may be; without one the kind has no subresource. */
  readonly status?: Readonly<Record<string, unknown>>;
}

const condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Fine',
  message: 'All is well',
  lastTransitionTime: '2030-01-01T00:00:00Z',
};

export const lifeCycles: readonly LifeCycle[] = [
  { resource: SECRET, content: { data: { a: 'MQ==' } } },
  {
    resource: LEASE,
    content: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2030-01-01T00:00:00.000000Z' } },
  },
  {
    resource: EVENT,
    content: {
      eventTime: '2030-01-01T00:00:00.000000Z',
      reportingController: 'contract',
      reportingInstance: 'one',
      action: 'Act',
      reason: 'Acted',
      type: 'Normal',
      note: 'It was done',
      regarding: { apiVersion: 'v1', kind: 'Secret', namespace: 'lives', name: 'one' },
    },
  },
  {
    resource: VALIDATING_WEBHOOK_CONFIGURATION,
    content: {
      webhooks: [
        {
          name: 'a.contract.example',
          admissionReviewVersions: ['v1'],
          sideEffects: 'NoneOnDryRun',
          failurePolicy: 'Ignore',
          timeoutSeconds: 1,
          clientConfig: { url: 'https://localhost:9443/validate' },
          rules: [
            { apiGroups: ['nothing.example'], apiVersions: ['*'], resources: ['nothings'], operations: ['CREATE'] },
          ],
        },
      ],
    },
  },
  {
    resource: TRUST_DOMAIN,
    content: { spec: { probe: { delay: '2s' } } },
    status: { observedGeneration: 1, conditions: [condition], switches: 1, nextStep: 'Nothing' },
  },
  {
    resource: RUNTIME_TRUST,
    content: { spec: { trustDomainRef: { name: 'one' } } },
    status: { observedGeneration: 1, conditions: [condition], clusterUid: 'u' },
  },
  {
    resource: CERTIFICATE,
    content: {
      spec: {
        commonName: 'one',
        dnsNames: ['one.example'],
        duration: '1440h',
        renewBefore: '720h',
        secretName: 'one',
        secretTemplate: { labels: { a: 'b' } },
        issuerRef: { name: 'issuer', kind: 'Issuer', group: 'cert-manager.io' },
        isCA: false,
        usages: ['digital signature', 'key encipherment'],
        subject: { organizations: ['o'] },
        privateKey: { rotationPolicy: 'Always', encoding: 'PKCS1', algorithm: 'RSA', size: 4096 },
      },
    },
    status: { conditions: [{ ...condition, observedGeneration: 1 }], revision: 1, notAfter: '2030-01-01T00:00:00Z' },
  },
  { resource: KYMA, content: { spec: { channel: 'regular' } }, status: { state: 'Ready' } },
  {
    resource: GATEWAY,
    content: {
      spec: {
        selector: { istio: 'ingressgateway' },
        servers: [
          {
            hosts: ['listener.kyma.local'],
            port: { number: 443, name: 'https', protocol: 'HTTPS' },
            tls: { mode: 'MUTUAL', credentialName: 'klm-istio-gateway' },
          },
        ],
      },
    },
  },
  {
    resource: POD,
    content: { spec: { containers: [{ name: 'a', image: 'a' }] } },
    status: {
      phase: 'Running',
      podIP: '127.0.0.1',
      podIPs: [{ ip: '127.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  },
  {
    resource: SERVICE,
    content: {
      spec: { clusterIP: 'None', selector: { app: 'a' }, ports: [{ name: 'https', port: 443, targetPort: 8443 }] },
    },
  },
  {
    resource: { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
    content: {},
  },
  { resource: rbac('roles', 'Role', true), content: { rules } },
  { resource: rbac('rolebindings', 'RoleBinding', true), content: { roleRef: roleRef('Role'), subjects } },
  { resource: rbac('clusterroles', 'ClusterRole', false), content: { rules } },
  {
    resource: rbac('clusterrolebindings', 'ClusterRoleBinding', false),
    content: { roleRef: roleRef('ClusterRole'), subjects },
  },
  {
    resource: certManager('issuers', 'Issuer'),
    content: { spec: { ca: { secretName: 'one' } } },
    status: { conditions: [condition] },
  },
  {
    resource: certManager('clusterissuers', 'ClusterIssuer', false),
    content: { spec: { selfSigned: {} } },
    status: { conditions: [condition] },
  },
  {
    resource: GARDENER_CERTIFICATE,
    called: 'Certificate of Gardener',
    content: { spec: { commonName: 'one', secretRef: { name: 'one' } } },
    status: { state: 'Ready' },
  },
  {
    resource: certManager('certificaterequests', 'CertificateRequest'),
    content: { spec: { request: 'MQ==', issuerRef: { name: 'issuer' } } },
    status: { conditions: [condition] },
  },
];
