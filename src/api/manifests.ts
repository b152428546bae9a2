import { stringify } from 'yaml';
import { crdOf, type Manifest, RESOURCE_DEFINITIONS } from './crd.ts';
import { API_VERSION, DEFAULT_NAMESPACE, TRUST_DOMAIN } from './names.ts';
import { hubRbac, runtimeRbac, userRoles } from './rbac.ts';
import { trustDomainDefaults } from './trust-domain.ts';

/** Several manifests as one YAML stream, as `kubectl apply -f -` takes it. */
export function toYaml(manifests: readonly Manifest[]): string {
  const options = { lineWidth: 0, aliasDuplicateObjects: false } as const;
  return manifests.map((manifest) => stringify(manifest, options)).join('---\n');
}

/** The CustomResourceDefinitions. */
export function crds(): readonly Manifest[] {
  return RESOURCE_DEFINITIONS.map(crdOf);
}

/** All that a hub needs before a TrustDomain is created there. */
export function hubManifests(operatorNamespace = DEFAULT_NAMESPACE): readonly Manifest[] {
  return [...crds(), ...userRoles(), ...hubRbac(trustDomainDefaults(), operatorNamespace)];
}

/** Generated files: path in the project → text. */
export function manifestFiles(): Readonly<Record<string, string>> {
  const spec = trustDomainDefaults();
  const crdFiles = RESOURCE_DEFINITIONS.map((definition): [string, string] => [
    `config/crd/${definition.resource.plural}.yaml`,
    toYaml([crdOf(definition)]),
  ]);
  return {
    ...Object.fromEntries(crdFiles),
    'config/rbac/hub.yaml': toYaml([...userRoles(), ...hubRbac(spec, DEFAULT_NAMESPACE)]),
    'config/rbac/runtime.yaml': toYaml(runtimeRbac(spec)),
    'config/samples/trust-domain.yaml': sample(),
  };
}

/** A hub as Kyma's documents describe it needs nothing but a name. */
function sample(): string {
  const comment = '# A fleet as in a Kyma Control Plane: every default fits. All fields: docs/reference/resources.md';
  const manifest: Manifest = {
    apiVersion: API_VERSION,
    kind: TRUST_DOMAIN.kind,
    metadata: { name: 'klm-watcher', namespace: DEFAULT_NAMESPACE },
    spec: {
      runtimes: { kyma: { namespace: DEFAULT_NAMESPACE } },
      proof: { propagationDelay: '2m', unprovableAfter: '96h' },
    },
  };
  return `${comment}\n${toYaml([manifest])}`;
}
