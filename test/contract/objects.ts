/** Objects that tests write, as short as their kind allows. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Fields = Readonly<Record<string, unknown>>;

export function secret(name: string, data: Readonly<Record<string, string>> = {}, more: Fields = {}): Fields {
  const { metadata, ...rest } = more as { readonly metadata?: Fields };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, ...metadata },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    ...rest,
  };
}

export function widget(name: string, spec: Fields = {}, more: Fields = {}): Fields {
  const { metadata, ...rest } = more as { readonly metadata?: Fields };
  return { apiVersion: 'contract.example/v1', kind: 'Widget', metadata: { name, ...metadata }, spec, ...rest };
}

export function trustDomain(name: string, spec?: Fields): Fields {
  const metadata = { name };
  return {
    apiVersion: 'keyturn.kyma-project.io/v1alpha1',
    kind: 'TrustDomain',
    metadata,
    ...(spec === undefined ? {} : { spec }),
  };
}

export const widgetsIn = (namespace: string): string =>
  `/apis/contract.example/v1${namespace.slice('/api/v1'.length)}/widgets`;
export const trustDomainsIn = (namespace: string): string =>
  `/apis/keyturn.kyma-project.io/v1alpha1${namespace.slice('/api/v1'.length)}/trustdomains`;
export const runtimeTrustsIn = (namespace: string): string =>
  `/apis/keyturn.kyma-project.io/v1alpha1${namespace.slice('/api/v1'.length)}/runtimetrusts`;
export const leasesIn = (namespace: string): string =>
  `/apis/coordination.k8s.io/v1${namespace.slice('/api/v1'.length)}/leases`;
