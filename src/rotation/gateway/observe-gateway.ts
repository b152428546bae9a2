import { candidateSecretName, GATEWAY, TRUST_DOMAIN } from '../../api/names.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
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

/** Reads the trust domain and what it names. @returns `null` when there is no such trust domain any more */
export async function observeGateway(
  client: KubeClient,
  ref: ObjectRef,
  nowMs: () => number,
  call: CallOptions,
): Promise<GatewayReadings | null> {
  const domain = await client.find<TrustDomain>(TRUST_DOMAIN, ref, call);
  if (domain === undefined) return null;
  const { rootSecretRef, gatewaySecretRef, gatewayRef } = domain.spec;
  const candidateRef = { ...gatewaySecretRef, name: candidateSecretName(gatewaySecretRef.name) };
  const [rootSecret, gatewayObject, candidateSecret, gatewayResource] = await Promise.all([
    client.find<SecretObject>(SECRET, rootSecretRef, call),
    client.find<SecretObject>(SECRET, gatewaySecretRef, call),
    client.find<SecretObject>(SECRET, candidateRef, call),
    client.find<KubeObject>(GATEWAY, gatewayRef, call),
  ]);
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
