import { candidateSecretName, GATEWAY, TRUST_DOMAIN } from '../../api/names.ts';
import type { TrustDomain, TrustDomainSpec } from '../../api/trust-domain.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { type KubeObject, type ObjectRef, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import type { Bundle } from '../../pki/bundle.ts';
import type { Candidate } from '../decide/candidate.ts';
import { type GatewayReading, readGateway } from './gateway-resource.ts';
import { type GatewaySecretReading, readGatewaySecret, readServer } from './observe-gateway-secret.ts';
import { type RootReading, readRootSecret } from './observe-root.ts';

/** Everything at the gateway, as one pass of live reads showed it. */
export interface GatewayReadings {
  readonly domain: TrustDomain;
  readonly root: RootReading;
  /** Holds the root's key: for signing within this pass, never kept (S4). */
  readonly rootSecret: SecretObject | undefined;
  readonly gatewaySecret: GatewaySecretReading;
  readonly candidate: Candidate | null;
  readonly candidateSecret: SecretObject | undefined;
  /** `missing`: no such Gateway. `unsuitable`: no server of it names the Secret. */
  readonly gateway: GatewayReading | 'missing' | 'unsuitable';
}

/** Where to look; a trust domain whose references change is started anew. */
export type GatewayRefs = Pick<TrustDomainSpec, 'rootSecretRef' | 'gatewaySecretRef' | 'gatewayRef'>;

/** Reads the trust domain and what it names. @returns `null` when there is no such trust domain any more */
export async function observeGateway(
  client: KubeClient,
  ref: ObjectRef,
  { rootSecretRef, gatewaySecretRef, gatewayRef }: GatewayRefs,
  nowMs: () => number,
  call: CallOptions,
): Promise<GatewayReadings | null> {
  const candidateRef = { ...gatewaySecretRef, name: candidateSecretName(gatewaySecretRef.name) };
  const [domain, rootSecret, gatewayObject, candidateSecret, gatewayResource] = await Promise.all([
    client.find<TrustDomain>(TRUST_DOMAIN, ref, call),
    client.find<SecretObject>(SECRET, rootSecretRef, call),
    client.find<SecretObject>(SECRET, gatewaySecretRef, call),
    client.find<SecretObject>(SECRET, candidateRef, call),
    client.find<KubeObject>(GATEWAY, gatewayRef, call),
  ]);
  if (domain === undefined) return null;
  const root = readRootSecret(rootSecret, nowMs());
  const others: Bundle = root.certificate === null ? [] : [root.certificate];
  const gatewaySecret = readGatewaySecret(gatewayObject, others);
  const known = gatewaySecret.state === 'readable' ? [...gatewaySecret.bundle, ...others] : others;
  const gateway =
    gatewayResource === undefined ? 'missing' : (readGateway(gatewayResource, gatewaySecretRef.name) ?? 'unsuitable');
  return {
    domain,
    root,
    rootSecret,
    gatewaySecret,
    candidate: readServer(candidateSecret, known),
    candidateSecret,
    gateway,
  };
}
