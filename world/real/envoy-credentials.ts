/** What one Envoy uses for the Gateway at this moment, from its admin port. */
export interface EnvoyCredentials {
  /** Certificate chain that it presents (PEM); undefined before the Secret has arrived. */
  readonly serverCertificate: ActiveSecret | undefined;
  /** Roots that it accepts client certificates of (PEM, all blocks); undefined before the Secret has arrived. */
  readonly bundle: ActiveSecret | undefined;
}

export interface ActiveSecret {
  readonly pem: string;
  /** istiod's version of the resource, and when Envoy took it (RFC 3339). */
  readonly version: string;
  readonly lastUpdated: string;
}

interface DumpedSecret {
  readonly name?: string;
  readonly version_info?: string;
  readonly last_updated?: string;
  readonly secret?: {
    readonly tls_certificate?: { readonly certificate_chain?: DataSource };
    readonly validation_context?: { readonly trusted_ca?: DataSource };
  };
}

interface DataSource {
  readonly inline_bytes?: string;
  readonly inline_string?: string;
}

/** Reads /config_dump. Bundle and server certificate are two resources: Envoy takes them one after the other. */
export async function readEnvoyCredentials(
  adminPort: number,
  credentialName: string,
  signal?: AbortSignal,
): Promise<EnvoyCredentials> {
  const url = `http://127.0.0.1:${adminPort}/config_dump?resource=dynamic_active_secrets`;
  const answer = await fetch(url, signal === undefined ? {} : { signal });
  if (!answer.ok) throw new Error(`Envoy's config_dump was answered ${answer.status}`);
  const { configs = [] } = (await answer.json()) as { configs?: readonly DumpedSecret[] };
  return credentialsFrom(configs, credentialName);
}

export function credentialsFrom(configs: readonly DumpedSecret[], credentialName: string): EnvoyCredentials {
  const find = (name: string) => configs.find((config) => config.name === `kubernetes://${name}`);
  const pair = find(credentialName);
  const roots = find(`${credentialName}-cacert`);
  return {
    serverCertificate: active(pair, pair?.secret?.tls_certificate?.certificate_chain),
    bundle: active(roots, roots?.secret?.validation_context?.trusted_ca),
  };
}

function active(dumped: DumpedSecret | undefined, source: DataSource | undefined): ActiveSecret | undefined {
  const pem =
    source?.inline_string ?? (source?.inline_bytes && Buffer.from(source.inline_bytes, 'base64').toString('utf8'));
  if (!pem) return undefined;
  return { pem, version: dumped?.version_info ?? '', lastUpdated: dumped?.last_updated ?? '' };
}
