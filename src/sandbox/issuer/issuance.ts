import type { KeyObject } from 'node:crypto';
import { CERTIFICATE } from '../../api/names.ts';
import type { Clock } from '../../controller/clock.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { isIssuing } from '../../issuers/issuing-state.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../kubernetes/errors.ts';
import { type KubeObject, keyOf, type ObjectRef, refOf, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import type { Certificate } from '../../pki/certificate.ts';
import {
  base64,
  fieldManager,
  issuedSecret,
  requestName,
  requestObject,
  standingSecret,
} from './certificate-objects.ts';
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

/** One object, as it was last seen or as it stands. */
export interface Reads {
  certificate(ref: ObjectRef): Promise<KubeObject | undefined>;
  request(ref: ObjectRef): Promise<KubeObject | undefined>;
  secret(ref: ObjectRef): Promise<SecretObject | undefined>;
}

export interface IssuanceOptions {
  readonly client: KubeClient;
  /** From what is watched: enough to see that nothing is to be done. Whatever is done rests on live reads. */
  readonly seen: Reads;
  /** Whether requests are approved here, and not by somebody else. */
  readonly approve: boolean;
  readonly firstBackOffMs: number;
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
  /** One that is deleted and made anew under the same name has nothing to do with it. */
  readonly certificateUid: string | undefined;
  readonly requestUid: string | undefined;
  readonly key: KeyObject;
  readonly beganMs: number;
  /** Once it is signed. */
  readonly leaf?: Certificate;
  readonly certificatePem?: string;
  readonly caPem?: string;
}

type Objects = Pick<IssuanceView, 'certificate' | 'secret' | 'lastRequest' | 'request'>;

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
      return { kind: 'unapproved' };
    }
    const { kind, name } = wantedCertificate(certificate).issuerRef;
    if (signer === undefined) {
      const found = `${kind.toLowerCase()}.cert-manager.io "${name}" not found`;
      return { kind: 'wait', reason: 'Pending', message: `Referenced "${kind}" not found: ${found}` };
    }
    if (signer.ok === 'fails') return { kind: 'fail', message: signer.message };
    if (!signer.ok) {
      return { kind: 'wait', reason: 'Pending', message: 'Referenced issuer does not have a Ready status condition' };
    }
    const beganMs = attempts.get(keyOf(refOf(certificate)))?.beganMs ?? clock.monotonicMs();
    const afterMs = beganMs + faults().delayMs - clock.monotonicMs();
    return afterMs > 0 ? { kind: 'later', afterMs } : { kind: 'sign' };
  };

  const live: Reads = {
    certificate: (ref) => client.find<KubeObject>(CERTIFICATE, ref, { signal }),
    request: (ref) => client.find<KubeObject>(CERTIFICATE_REQUEST, ref, { signal }),
    secret: (ref) => client.find<SecretObject>(SECRET, ref, { signal }),
  };
  const observe = async (ref: ObjectRef, reads: Reads): Promise<Objects | undefined> => {
    const certificate = await reads.certificate(ref);
    if (certificate === undefined || certificate.metadata.deletionTimestamp !== undefined) return undefined;
    const { namespace = '', name } = certificate.metadata;
    const revision = ((certificate['status'] ?? {}) as CertificateStatus).revision ?? 0;
    const requestOf = (of: number) => reads.request({ namespace, name: requestName(name, of) });
    const [secret, lastRequest, request] = await Promise.all([
      reads.secret({ namespace, name: wantedCertificate(certificate).secretName }),
      revision === 0 ? undefined : requestOf(revision),
      requestOf(revision + 1),
    ]);
    return { certificate, secret, lastRequest, request };
  };
  const viewOf = (objects: Objects, signer: SignerReading | undefined): IssuanceView => {
    const { certificate, request } = objects;
    const attempt = attempts.get(keyOf(refOf(certificate)));
    return {
      ...objects,
      certificateName: certificate.metadata.name,
      wanted: wantedCertificate(certificate),
      ours:
        attempt !== undefined &&
        attempt.requestUid === request?.metadata.uid &&
        attempt.certificateUid === certificate.metadata.uid,
      answer: answerFor(certificate, request, signer),
      firstBackOffMs: options.firstBackOffMs,
      nowMs: clock.nowMs(),
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

  const makeRequest = async (key: string, view: IssuanceView, revision: number): Promise<KubeObject> => {
    const { certificate, wanted } = view;
    if (view.request !== undefined) await client.delete(CERTIFICATE_REQUEST, refOf(view.request), { signal });
    const held = existingKey(view.secret, wanted) ?? (await newKey(wanted.key));
    const object = requestObject(certificate, { wanted, revision, requestPem: signingRequest(wanted, held) });
    const created = await client.create(CERTIFICATE_REQUEST, object, call);
    attempts.set(key, {
      certificateUid: certificate.metadata.uid,
      requestUid: created.metadata.uid,
      key: held,
      beganMs: clock.monotonicMs(),
    });
    return created;
  };

  const sign = async (
    key: string,
    view: IssuanceView,
    signer: SignerReading | undefined,
  ): Promise<KubeObject | undefined> => {
    const attempt = attempts.get(key);
    const { wanted, nowMs } = view;
    if (attempt === undefined || view.request === undefined || signer?.ok !== true) return undefined;
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
      return writeRequestStatus(view.request, { conditions: failed, failureTime: timeText(nowMs) });
    }
    const certificatePem = [leaf, ...signer.chain].map(({ pem }) => pem).join('');
    const caPem = (signer.root ?? leaf).pem;
    attempts.set(key, { ...attempt, leaf, certificatePem, caPem });
    return writeRequestStatus(view.request, {
      conditions: ready('True', 'Issued', 'Certificate fetched from issuer successfully'),
      certificate: base64(certificatePem),
      ca: base64(caPem),
    });
  };

  const finish = async (key: string, view: IssuanceView, revision: number): Promise<void> => {
    const { certificate, wanted } = view;
    const attempt = attempts.get(key);
    const { leaf, certificatePem, caPem } = attempt ?? {};
    if (attempt === undefined || leaf === undefined || certificatePem === undefined || caPem === undefined) {
      // Without its key a certificate is of no use: the next step asks for another.
      attempts.delete(key);
      return;
    }
    // The cast chooses an overload: whether the encoding suits the key was decided with it.
    const type = wanted.keyEncoding.toLowerCase() as 'pkcs8';
    const keyPem = attempt.key.export({ type, format: 'pem' }).toString();
    const { type: standingType } = view.secret ?? {};
    const object = issuedSecret(certificate, { wanted, leaf, certificatePem, keyPem, caPem, type: standingType });
    const secret = await client.apply<SecretObject>(SECRET, object, { ...call, force: true });
    const status = issuedStatus({ ...view, secret, lastRequest: view.request, nowMs: clock.nowMs() }, revision);
    await writeStatus(view, status);
    attempts.delete(key);
    options.onIssued();
    if (view.lastRequest !== undefined) await client.delete(CERTIFICATE_REQUEST, refOf(view.lastRequest), { signal });
  };

  /** @returns what is another object now; undefined where the issuance is over */
  const act = async (
    key: string,
    view: IssuanceView,
    signer: SignerReading | undefined,
    step: Exclude<IssuanceStep, { do: 'rest' }>,
  ): Promise<Partial<Objects> | undefined> => {
    switch (step.do) {
      case 'writeStatus':
        return { certificate: await writeStatus(view, step.status) };
      case 'giveUp': {
        const certificate = await writeStatus(view, step.status);
        attempts.delete(key);
        return { certificate };
      }
      case 'request':
        return { request: await makeRequest(key, view, step.revision) };
      case 'markRequest': {
        const failure = step.failed ? { failureTime: timeText(view.nowMs) } : {};
        if (view.request === undefined) return undefined;
        return { request: await writeRequestStatus(view.request, { conditions: step.conditions, ...failure }) };
      }
      case 'sign':
        return { request: await sign(key, view, signer) };
      case 'writeSecret': {
        const { certificate, wanted, secret } = view;
        const object = secret === undefined ? undefined : standingSecret(certificate, wanted, secret);
        if (object === undefined) return undefined;
        return { secret: await client.apply<SecretObject>(SECRET, object, { ...call, force: true }) };
      }
      case 'finish':
        await finish(key, view, step.revision);
        return undefined;
    }
  };

  const rest = ({ nowMs }: IssuanceView, untilMs: number | null): ReconcileResult =>
    untilMs === null ? {} : { againAfterMs: Math.max(1, untilMs - nowMs) };
  const signerFor = (certificate: KubeObject): Promise<SignerReading | undefined> =>
    options.signer(certificate.metadata.namespace ?? '', wantedCertificate(certificate).issuerRef);

  return {
    async reconcile(ref) {
      const key = keyOf(ref);
      if (faults().down) return {};
      const seen = await observe(ref, options.seen);
      if (seen === undefined) {
        attempts.delete(key);
        return {};
      }
      // While one is under way the issuer may have changed too, and that is looked at live.
      if (!isIssuing(seen.certificate)) {
        const view = viewOf(seen, undefined);
        const step = decideIssuance(view);
        if (step.do === 'rest') return rest(view, step.untilMs);
      }
      let objects = await observe(ref, live);
      if (objects === undefined) return {};
      const signer = await signerFor(objects.certificate);
      for (let steps = 0; steps < mostSteps && !faults().down; steps += 1) {
        const view: IssuanceView = viewOf(objects, signer);
        const step = decideIssuance(view);
        if (step.do === 'rest') return rest(view, step.untilMs);
        try {
          const changed: Partial<Objects> | undefined = await act(key, view, signer, step);
          if (changed === undefined) return { againAfterMs: pauseMs };
          objects = { ...objects, ...changed };
        } catch (error) {
          // Somebody else has written meanwhile: look again.
          if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) return { againAfterMs: pauseMs };
          throw error;
        }
      }
      return faults().down ? {} : { againAfterMs: pauseMs };
    },
  };
}
