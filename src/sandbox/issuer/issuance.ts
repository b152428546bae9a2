import type { KeyObject } from 'node:crypto';
import { CERTIFICATE } from '../../api/names.ts';
import type { Clock } from '../../controller/clock.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { isIssuing } from '../../issuers/issuing-state.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isConflict, isNotFound } from '../../kubernetes/errors.ts';
import { type KubeObject, keyOf, type ObjectRef, refOf, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { base64, issuedSecret, requestName, requestObject } from './certificate-objects.ts';
import {
  decideIssuance,
  type IssuanceStep,
  type IssuanceView,
  type IssuerAnswer,
  issuedStatus,
} from './decide-issuance.ts';
import { existingKey } from './existing-key.ts';
import {
  CERTIFICATE_REQUEST,
  type CertificateStatus,
  conditionOf,
  conditionsOf,
  timeText,
  withCondition,
} from './kinds.ts';
import type { SignerReading } from './read-signer.ts';
import { newKey, signCertificate } from './sign-certificate.ts';
import { signingRequest } from './signing-request.ts';
import { wantedCertificate } from './wanted-certificate.ts';

/** What goes wrong, or slowly, on demand. */
export interface IssuerFaults {
  /** Time between a request and its answer. */
  readonly delayMs: number;
  /** How requests of a Certificate are answered. */
  readonly answer: (certificate: ObjectRef) => 'sign' | 'deny' | 'fail';
  /** Does nothing at all, as a process that is gone; what is to do is done when it comes back. */
  readonly down: boolean;
}

export interface IssuanceOptions {
  readonly client: KubeClient;
  /** Whether requests are approved here, and not by somebody else. */
  readonly approve: boolean;
  readonly faults: () => IssuerFaults;
  /** Undefined where there is no such issuer. */
  readonly signer: (
    namespace: string,
    ref: { readonly kind: string; readonly name: string },
  ) => Promise<SignerReading | undefined>;
  readonly onIssued: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Works on one Certificate at a time. */
export interface Issuance {
  /** Takes as many steps as can be taken now. */
  reconcile(ref: ObjectRef): Promise<ReconcileResult>;
}

/** One issuance under way. Its key is nowhere else until the Secret is written (S4). */
interface Attempt {
  readonly requestUid: string;
  readonly key: KeyObject;
  readonly beganMs: number;
  /** Once it is signed. */
  readonly certificatePem?: string;
  readonly caPem?: string;
}

interface Observed {
  readonly view: IssuanceView;
  readonly signer: SignerReading | undefined;
}

export const fieldManager = 'cert-manager-certificates-issuing';
/** More than one issuance takes; what goes on for longer is looked at again after a pause. */
const mostSteps = 12;
const pauseMs = 50;

export function createIssuance(options: IssuanceOptions): Issuance {
  const { client, approve, faults, clock, signal } = options;
  const attempts = new Map<string, Attempt>();
  const call = { signal, fieldManager };

  const answerFor = (
    certificate: KubeObject,
    request: KubeObject | undefined,
    signer: SignerReading | undefined,
  ): IssuerAnswer => {
    const told = faults().answer(refOf(certificate));
    if (told === 'deny' || conditionOf(request, 'Denied')?.status === 'True') return { kind: 'deny' };
    if (told === 'fail') return { kind: 'fail', message: 'The issuer could not sign the request' };
    if (!approve && conditionOf(request, 'Approved')?.status !== 'True') {
      return { kind: 'wait', reason: 'Pending', message: 'Waiting for the approval of the request' };
    }
    const { kind, name } = wantedCertificate(certificate).issuerRef;
    if (signer === undefined)
      return { kind: 'wait', reason: 'Pending', message: `Referenced "${kind}" not found: ${name}` };
    if (!signer.ok) return { kind: 'wait', reason: 'Pending', message: signer.message };
    const beganMs = attempts.get(keyOf(refOf(certificate)))?.beganMs ?? clock.monotonicMs();
    const afterMs = beganMs + faults().delayMs - clock.monotonicMs();
    return afterMs > 0 ? { kind: 'later', afterMs } : { kind: 'sign' };
  };

  /** All read live: an issuance that begins has to see the authority as it stands. */
  const observe = async (ref: ObjectRef): Promise<Observed | undefined> => {
    const certificate = await client.find<KubeObject>(CERTIFICATE, ref, { signal });
    if (certificate === undefined || certificate.metadata.deletionTimestamp !== undefined) return undefined;
    const { namespace = '', name } = certificate.metadata;
    const wanted = wantedCertificate(certificate);
    const revision = ((certificate['status'] ?? {}) as CertificateStatus).revision ?? 0;
    const find = (of: number) =>
      client.find<KubeObject>(CERTIFICATE_REQUEST, { namespace, name: requestName(name, of) }, { signal });
    const [secret, lastRequest, request, signer] = await Promise.all([
      client.find<SecretObject>(SECRET, { namespace, name: wanted.secretName }, { signal }),
      revision === 0 ? undefined : find(revision),
      find(revision + 1),
      isIssuing(certificate) ? options.signer(namespace, wanted.issuerRef) : undefined,
    ]);
    const ours = request !== undefined && attempts.get(keyOf(ref))?.requestUid === request.metadata.uid;
    const answer = answerFor(certificate, request, signer);
    return {
      view: { certificate, wanted, secret, lastRequest, request, ours, answer, nowMs: clock.nowMs() },
      signer,
    };
  };

  const writeStatus = ({ certificate }: IssuanceView, status: CertificateStatus) =>
    client.replaceStatus(CERTIFICATE, { ...certificate, status }, call);
  const writeRequestStatus = (request: KubeObject, status: object) =>
    client.replaceStatus(
      CERTIFICATE_REQUEST,
      { ...request, status: { ...(request['status'] as object), ...status } },
      call,
    );

  const request = async (key: string, view: IssuanceView, revision: number): Promise<void> => {
    const { certificate, wanted } = view;
    if (view.request !== undefined) await client.delete(CERTIFICATE_REQUEST, refOf(view.request), { signal });
    const held = existingKey(view.secret, wanted) ?? (await newKey(wanted.key));
    const object = requestObject(certificate, { wanted, revision, requestPem: signingRequest(wanted, held) });
    const created = await client.create(CERTIFICATE_REQUEST, object, call);
    attempts.set(key, { requestUid: created.metadata.uid ?? '', key: held, beganMs: clock.monotonicMs() });
  };

  const sign = async (key: string, { view, signer }: Observed): Promise<void> => {
    const attempt = attempts.get(key);
    const { wanted, nowMs } = view;
    if (attempt === undefined || view.request === undefined || signer?.ok !== true) return;
    const approved = {
      type: 'Approved',
      status: 'True',
      reason: 'cert-manager.io',
      message: 'Certificate request has been approved by cert-manager.io',
    };
    const standing = conditionsOf(view.request);
    const conditions = approve ? withCondition(standing, approved, nowMs) : standing;
    const ready = (status: string, reason: string, message: string) =>
      withCondition(conditions, { type: 'Ready', status, reason, message }, nowMs);
    const leaf = signCertificate(wanted, attempt.key, signer.signer, nowMs);
    if (leaf === null) {
      const failed = ready('False', 'Failed', 'Error signing certificate: the key cannot sign');
      await writeRequestStatus(view.request, { conditions: failed, failureTime: timeText(nowMs) });
      return;
    }
    const certificatePem = [leaf, ...signer.chain].map(({ pem }) => pem).join('');
    const caPem = (signer.root ?? leaf).pem;
    attempts.set(key, { ...attempt, certificatePem, caPem });
    await writeRequestStatus(view.request, {
      conditions: ready('True', 'Issued', 'Certificate fetched from issuer successfully'),
      certificate: base64(certificatePem),
      ca: base64(caPem),
    });
  };

  const finish = async (key: string, view: IssuanceView, revision: number): Promise<void> => {
    const { certificate, wanted } = view;
    const attempt = attempts.get(key);
    const { certificatePem, caPem } = attempt ?? {};
    if (attempt === undefined || certificatePem === undefined || caPem === undefined) {
      // Without its key a certificate is of no use: the next step asks for another.
      attempts.delete(key);
      return;
    }
    // The cast chooses an overload: whether the encoding suits the key was decided with it.
    const type = wanted.keyEncoding.toLowerCase() as 'pkcs8';
    const keyPem = attempt.key.export({ type, format: 'pem' }).toString();
    const object = issuedSecret(certificate, { wanted, certificatePem, keyPem, caPem, type: view.secret?.type });
    const secret = await client.apply<SecretObject>(SECRET, object, { ...call, force: true });
    const status = issuedStatus({ ...view, secret, lastRequest: view.request, nowMs: clock.nowMs() }, revision);
    await writeStatus(view, status);
    attempts.delete(key);
    options.onIssued();
    if (view.lastRequest !== undefined) await client.delete(CERTIFICATE_REQUEST, refOf(view.lastRequest), { signal });
  };

  const act = async (key: string, observed: Observed, step: Exclude<IssuanceStep, { do: 'rest' }>): Promise<void> => {
    const { view } = observed;
    switch (step.do) {
      case 'writeStatus':
        await writeStatus(view, step.status);
        return;
      case 'giveUp':
        await writeStatus(view, step.status);
        attempts.delete(key);
        return;
      case 'request':
        return request(key, view, step.revision);
      case 'markRequest': {
        const failure = step.failed ? { failureTime: timeText(view.nowMs) } : {};
        if (view.request !== undefined) {
          await writeRequestStatus(view.request, { conditions: step.conditions, ...failure });
        }
        return;
      }
      case 'sign':
        return sign(key, observed);
      case 'finish':
        return finish(key, view, step.revision);
    }
  };

  return {
    async reconcile(ref) {
      const key = keyOf(ref);
      for (let steps = 0; steps < mostSteps && !faults().down; steps += 1) {
        const observed = await observe(ref);
        if (observed === undefined) {
          attempts.delete(key);
          return {};
        }
        const step = decideIssuance(observed.view);
        if (step.do === 'rest') {
          return step.untilMs === null ? {} : { againAfterMs: Math.max(1, step.untilMs - observed.view.nowMs) };
        }
        try {
          await act(key, observed, step);
        } catch (error) {
          // Somebody else has written meanwhile: look again.
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
      }
      return faults().down ? {} : { againAfterMs: pauseMs };
    },
  };
}
