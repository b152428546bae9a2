import type { Clock } from '../../controller/clock.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { startInformer } from '../../kubernetes/informer.ts';
import { SECRET, type SecretObject } from '../../kubernetes/resource.ts';

/** What istiod makes of a credential's Secrets. It is sent to endpoints as two resources, each of which may be missing. */
export interface GatewayCredential {
  readonly pair: { readonly certificatePem: string; readonly keyPem: string } | undefined;
  readonly bundlePem: string | undefined;
  /** resourceVersion of the Secret. */
  readonly version: string;
}

export interface CredentialFeed {
  /** As the Secrets stand now; undefined while there is none. */
  current(): GatewayCredential | undefined;
  stop(): Promise<void>;
}

export interface CredentialFeedOptions {
  readonly client: KubeClient;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Called with each new version. A Secret that is deleted is not told: whoever has loaded it keeps it. */
  readonly onCredential: (credential: GatewayCredential) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Follows a credential by watch. Beside its own Secret there may be one for the bundle alone, and that one goes first. */
export function startCredentialFeed({
  client,
  secret,
  onCredential,
  clock,
  signal,
}: CredentialFeedOptions): CredentialFeed {
  const ending = new AbortController();
  const bundleName = `${secret.name}-cacert`;
  const follow = (name: string) =>
    startInformer<SecretObject>({
      client,
      resource: SECRET,
      selection: { namespace: secret.namespace, fieldSelector: `metadata.name=${name}` },
      clock,
      signal: AbortSignal.any([signal, ending.signal]),
    });
  const [own, bundle] = [follow(secret.name), follow(bundleName)];
  const current = (): GatewayCredential | undefined => {
    const secretNow = own.store.get(secret);
    const bundleNow = bundle.store.get({ namespace: secret.namespace, name: bundleName });
    return secretNow === undefined ? undefined : credentialFrom(secretNow, bundleNow);
  };
  for (const { store } of [own, bundle]) {
    store.subscribe(({ key }) => {
      const credential = current();
      const concerned = key === `${secret.namespace}/${secret.name}` || key === `${secret.namespace}/${bundleName}`;
      if (concerned && credential !== undefined) onCredential(credential);
    });
  }
  return {
    current,
    async stop() {
      ending.abort();
      await Promise.all([own.ended, bundle.ended]);
    },
  };
}

/**
 * The general key names go before those of a TLS Secret, and what is empty counts as missing. A Secret for the bundle alone
 * has the say on it for as long as it is there.
 */
export function credentialFrom(secret: SecretObject, bundleSecret: SecretObject | undefined): GatewayCredential {
  const read = (object: SecretObject | undefined, key: string): string | undefined => {
    const text = Buffer.from(object?.data?.[key] ?? '', 'base64').toString('utf8');
    return text === '' ? undefined : text;
  };
  const general = read(secret, 'cert') !== undefined && read(secret, 'key') !== undefined;
  const bundleFrom = bundleSecret ?? secret;
  const certificatePem = read(secret, general ? 'cert' : 'tls.crt');
  const keyPem = read(secret, general ? 'key' : 'tls.key');
  return {
    pair: certificatePem === undefined || keyPem === undefined ? undefined : { certificatePem, keyPem },
    bundlePem: read(bundleFrom, 'cacert') ?? read(bundleFrom, 'ca.crt'),
    version: [secret, bundleSecret].flatMap((object) => object?.metadata.resourceVersion ?? []).join('+'),
  };
}
