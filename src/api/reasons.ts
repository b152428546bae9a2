/**
 * The catalogue of reasons. A word stands for the same thing in a condition, an event, a metric label, a log line and the
 * reference; decisions use these words in their results.
 *
 * @module
 */

export interface ReasonText {
  /** What is so. */
  readonly meaning: string;
  /** What a person does about it, if anything. */
  readonly next: string;
}

const nothing = 'Nothing to do';
const waits = 'Nothing to do: it goes on by itself';

/** The root Secret: why a root does not enter. */
const rootRefusals = {
  RootSecretMissing: {
    meaning: 'The root Secret does not exist.',
    next: 'Create it, or correct spec.rootSecretRef; what is in use goes on serving',
  },
  RootUnreadable: {
    meaning: 'The root Secret holds no certificate and key that can be read.',
    next: 'Put one PEM certificate into tls.crt and its private key into tls.key',
  },
  RootNotSelfSigned: {
    meaning: 'The certificate in the root Secret is not signed with its own key.',
    next: 'Put the root itself there, not a certificate that a root signed',
  },
  RootIsNoCa: {
    meaning: 'The certificate in the root Secret may not sign others: its basic constraints or key usage forbid it.',
    next: 'Issue it with isCA, or with usage cert sign',
  },
  RootKeyDoesNotMatch: {
    meaning: 'The private key in the root Secret does not belong to the certificate beside it.',
    next: 'Write certificate and key in one step',
  },
  RootNotYetValid: {
    meaning: 'The validity of the root begins in the future.',
    next: 'Wait for its start, or correct the clock of the issuer',
  },
  RootExpired: {
    meaning: 'The root has expired.',
    next: 'If it is the one in the root Secret, put a new root there',
  },
  RootRevoked: {
    meaning: 'The key of this root is revoked in the spec.',
    next: 'Put a root with another key into the root Secret',
  },
  RootWithoutKeyIdentifier: {
    meaning:
      'The root shares its subject with one in use, and one of the two has no subject key identifier; OpenSSL and Envoy could not tell them apart.',
    next: 'Issue the root with a subject key identifier, or with another subject where the one in use lacks it',
  },
  RootKeyIdentifierTaken: {
    meaning:
      'The root has the subject and the subject key identifier of one in use, and another key; no verifier could tell them apart.',
    next: 'Issue the root with an identifier of its own',
  },
} as const satisfies Record<string, ReasonText>;

/** Retirement: why a root stays. */
const rootUses = {
  IsCurrent: { meaning: 'The root is the current one.', next: nothing },
  IsCandidate: { meaning: 'The next server certificate is signed by this root.', next: waits },
  ServerMayPresent: {
    meaning: 'An endpoint of the gateway may still present a certificate of this root.',
    next: waits,
  },
  RuntimeMayPresent: {
    meaning: 'A runtime may still present a client certificate of this root.',
    next: 'See what that runtime waits for: its RuntimeTrust says so',
  },
  ServerUnknown: {
    meaning: 'It is not known yet which server certificates the endpoints present.',
    next: 'Nothing to do unless GatewayProven stays False',
  },
  RuntimeUnknown: {
    meaning: 'It is not known what a runtime presents: its record is missing or lost.',
    next: 'Make that runtime reachable, or delete it if it is gone',
  },
} as const satisfies Record<string, ReasonText>;

/** The server certificate: why it has to be replaced. */
const serverNeeds = {
  ServerCertificateOfOlderRoot: { meaning: 'The server certificate is not signed by the current root.', next: waits },
  ServerCertificateUnusable: {
    meaning: 'The gateway Secret holds no server certificate that can be used.',
    next: 'Nothing to do unless it stays so: it is replaced at once',
  },
  ServerCertificateIsRoot: {
    meaning:
      'The gateway presents the root itself; OpenSSL and Node refuse that beside a second root of the same subject.',
    next: 'Nothing to do: it is replaced by a certificate of the same root',
  },
  ServerCertificateNearsItsEnd: { meaning: 'The server certificate is due for renewal.', next: waits },
  ServerCertificateMissesHosts: {
    meaning: 'The server certificate does not cover every host of the Gateway.',
    next: waits,
  },
} as const satisfies Record<string, ReasonText>;

/** The gateway Secret: what a write does. */
const gatewayChanges = {
  RootReturns: {
    meaning: 'A root that was about to leave became the current one again and lost its mark.',
    next: nothing,
  },
  RootAdded: { meaning: 'The current root entered the bundle of the gateway.', next: nothing },
  RecordRepaired: {
    meaning: 'The annotations of the gateway Secret did not fit its bundle and were put right.',
    next: 'Find out who else writes to the Secret if it happens again',
  },
  ServerSwitched: { meaning: 'The gateway was given a new server certificate.', next: nothing },
  RootClosing: { meaning: 'A root that nobody uses is marked: no more certificates of it go out.', next: nothing },
  RootKept: { meaning: 'A root keeps its place: a user of it was found after it had been marked.', next: nothing },
  RootRetired: { meaning: 'A root that nobody uses left the bundle.', next: nothing },
} as const satisfies Record<string, ReasonText>;

/** Other events at the gateway Secret. */
const gatewayEvents = {
  GatewaySecretCreated: {
    meaning: 'The gateway Secret did not exist and was created from the current root.',
    next: nothing,
  },
  GatewaySecretRestored: {
    meaning:
      'The gateway Secret was lost or unreadable while a fleet depends on it, and was restored from what is known.',
    next: 'Find out who deleted or emptied it',
  },
  CandidateIssued: { meaning: 'The next server certificate was issued and is kept aside.', next: nothing },
} as const satisfies Record<string, ReasonText>;

/** The proof at the gateway: what is in its way. */
const gatewayDoubts = {
  GatewayRefuses: {
    meaning: 'An endpoint refuses a certificate of a root that is in the bundle: it has not loaded it yet.',
    next: 'Look at the pods of the gateway if it stays so',
  },
  GatewayAcceptsAnyone: {
    meaning: 'An endpoint answers a client whose certificate no known root signed, so an answer proves nothing.',
    next: 'Set tls.mode of the Gateway to MUTUAL',
  },
  GatewayUnanswered: {
    meaning: 'An endpoint does not answer; the probe delay stands in for the proof.',
    next: 'Let the operator reach the pods of the gateway, or give spec.probe.addresses',
  },
  NoGatewayEndpoint: {
    meaning: 'No ready endpoint of the gateway was found, so nothing can be proven there.',
    next: 'Start the gateway, or give spec.probe.addresses',
  },
  GatewayNotAsked: { meaning: 'The gateway was not asked yet.', next: waits },
} as const satisfies Record<string, ReasonText>;

/** Client certificates: why one is asked for. */
const issueNeeds = {
  CertificateMissing: { meaning: 'The runtime has no Certificate in the hub yet.', next: waits },
  CertificateDiffers: { meaning: 'The Certificate of the runtime differs from what it should be.', next: waits },
  SignedByOlderRoot: { meaning: 'The client certificate is not signed by the current root.', next: waits },
  NearsItsEnd: { meaning: 'The client certificate is due for renewal.', next: waits },
  KeyDoesNotMatch: { meaning: 'Private key and client certificate in the hub do not belong together.', next: waits },
} as const satisfies Record<string, ReasonText>;

/** Client certificates: what an issuance waits for. */
const issueWaits = {
  GatewaySecretMissing: {
    meaning: 'There is no valid gateway Secret yet; no certificate is asked for and nothing is delivered before.',
    next: 'See the condition RootAdmitted of the TrustDomain',
  },
  RootNotAdmitted: {
    meaning: 'The root Secret holds no root that may be used.',
    next: 'See the condition RootAdmitted of the TrustDomain',
  },
  RootNotBundled: { meaning: 'The current root is not in the bundle of the gateway yet.', next: waits },
  Issuing: {
    meaning: 'The issuer works on the certificate.',
    next: 'Look at the Certificate and its CertificateRequest if it stays so',
  },
  IssuerBackOff: {
    meaning: 'The issuer failed and waits before it tries again.',
    next: 'Look at the conditions of the Certificate',
  },
  TaintedFirst: {
    meaning: 'Runtimes with a certificate of a tainted root have their turn first.',
    next: waits,
  },
  RootTainted: {
    meaning:
      'The current root is tainted: another certificate of it gains nothing, so only what would fail otherwise is issued.',
    next: 'Ask for a new root with keyturn rotate',
  },
  WaveNotReached: { meaning: 'As many certificates as the policy allows are being issued.', next: waits },
  Paused: { meaning: 'The TrustDomain is paused.', next: 'Set spec.paused to false to go on' },
} as const satisfies Record<string, ReasonText>;

/** Deliveries: what keeps a new pair, or any delivery, from going out. */
const deliveryWaits = {
  PairMissing: { meaning: 'The hub holds no pair for the runtime yet.', next: 'See the condition CertificateIssued' },
  PairKeyDoesNotMatch: {
    meaning: 'Private key and certificate in the hub do not belong together.',
    next: 'Nothing to do: another certificate is asked for',
  },
  PairNotYetValid: {
    meaning: 'The certificate is younger than the margin for clocks that differ.',
    next: waits,
  },
  PairNearsItsEnd: {
    meaning: 'The certificate in the hub has expired or nearly so.',
    next: 'Look at the Certificate: its issuer does not renew it',
  },
  PairSignerNotInBundle: {
    meaning: 'The bundle of the gateway holds no valid root that signed the certificate.',
    next: 'Nothing to do unless it stays so: then the issuer uses another root than the root Secret',
  },
  PairSignerNotProven: {
    meaning: 'It is not proven yet that every endpoint of the gateway trusts the root that signed the certificate.',
    next: 'See the condition GatewayProven of the TrustDomain',
  },
  PairSignerClosing: {
    meaning: 'The root that signed the certificate is about to leave the bundle.',
    next: 'Nothing to do: another certificate is asked for, or the mark is taken away',
  },
  WebhookMayNotTrustSigner: {
    meaning: 'API servers of the runtime may still use a caBundle without the root that signed the certificate.',
    next: waits,
  },
  RuntimeUnreachable: {
    meaning: 'The cluster of the runtime does not answer, or refuses the credentials.',
    next: 'Check its kubeconfig Secret and its API server',
  },
  KubeconfigMissing: {
    meaning: 'No kubeconfig Secret of the runtime was found.',
    next: 'Create it in the namespace and with the label or key that spec.runtimes names',
  },
  KubeconfigAmbiguous: {
    meaning: 'More than one kubeconfig Secret was found for the runtime.',
    next: 'Delete or relabel all but one',
  },
  KubeconfigUnusable: {
    meaning: 'The kubeconfig of the runtime cannot be read.',
    next: 'Correct the Secret; the log says what is wrong with it',
  },
  RuntimeSkipped: {
    meaning: 'The Kyma carries the label that says to leave it alone.',
    next: 'Remove the label operator.kyma-project.io/skip-reconciliation to go on',
  },
  RuntimeDomainMissing: {
    meaning: 'The Kyma lacks the annotation skr-domain, so its certificate would miss a name.',
    next: 'Set the annotation on the Kyma',
  },
  SecretConflict: {
    meaning: 'The Secret of the runtime changed while it was being written.',
    next: waits,
  },
  RecordConflict: { meaning: 'The record of the runtime changed while it was being written.', next: waits },
  ForeignWriter: {
    meaning: 'Another program owns or keeps changing what Keyturn writes.',
    next: 'Stop the program that the message names, or leave the object to it',
  },
  WriteFailed: {
    meaning: 'A write was refused or its answer did not arrive.',
    next: 'See the message; it is tried again',
  },
} as const satisfies Record<string, ReasonText>;

/** States of whole resources, as conditions tell them. */
const states = {
  Settled: { meaning: 'Everything is on the current root, and roots that nobody uses have left.', next: nothing },
  Rotating: { meaning: 'A rotation is under way.', next: 'Read status.nextStep' },
  RootAdmitted: { meaning: 'The current root may be used.', next: nothing },
  GatewayProven: {
    meaning: 'Every endpoint of the gateway uses the bundle and the server certificate of its Secret.',
    next: nothing,
  },
  ServerCurrent: { meaning: 'The server certificate is a leaf of the current root.', next: nothing },
  ServerWaitsForRuntimes: {
    meaning: 'The next server certificate waits until runtimes are proven to trust its root.',
    next: 'See status.candidate.waitsFor',
  },
  ServerWaitsForProof: {
    meaning: 'A server certificate was written, and the endpoints are not proven to present it yet.',
    next: waits,
  },
  ServerWaitsForCandidate: { meaning: 'The next server certificate is not issued yet.', next: waits },
  FleetCurrent: {
    meaning: 'Every runtime has a client certificate of the current root and the current bundle.',
    next: nothing,
  },
  RuntimesBehind: {
    meaning: 'Some runtimes do not have the current bundle or a client certificate of the current root yet.',
    next: 'List the RuntimeTrusts that are not Ready',
  },
  RuntimesGivenUp: {
    meaning:
      'The switch no longer waits for runtimes that could not be proven in the time of the policy; they may break.',
    next: 'Make the runtimes in status.candidate.breaks reachable, or raise spec.proof.unprovableAfter',
  },
  TaintedInUse: {
    meaning: 'Runtimes may still present a certificate of a tainted root; they come before others.',
    next: 'See what they wait for: their RuntimeTrusts say so',
  },
  TaintedReplaced: { meaning: 'No runtime presents a certificate of a tainted root.', next: nothing },
  OldRootsRetired: { meaning: 'No root but the current one is in the bundle.', next: nothing },
  OldRootsInUse: {
    meaning: 'Older roots stay in the bundle because somebody may still need them.',
    next: 'See status.bundle[].keptBy',
  },
  CertificateIssued: { meaning: 'The runtime has a client certificate of the current root in the hub.', next: nothing },
  Delivered: { meaning: 'The runtime was given the current bundle and pair.', next: nothing },
  DeliveryNotProven: {
    meaning: 'The newest value was written, but the propagation delay has not passed.',
    next: waits,
  },
  Delivering: { meaning: 'A delivery is under way.', next: waits },
  Reachable: { meaning: 'The cluster of the runtime answers.', next: nothing },
  NotLookedAt: { meaning: 'Nobody looked at it yet since the operator started.', next: waits },
  GatewayMissing: {
    meaning: 'The Gateway that the spec names does not exist.',
    next: 'Create it, or correct spec.gatewayRef',
  },
  GatewayUnsuitable: {
    meaning: 'The Gateway has no server that names the gateway Secret with mutual TLS and a host.',
    next: 'Give it one server with tls.mode MUTUAL, credentialName and hosts',
  },
  OtherTrustDomainOwnsSecret: {
    meaning: 'An older TrustDomain names the same gateway Secret; that one acts, this one does nothing.',
    next: 'Delete one of the two',
  },
  NotSupported: {
    meaning: 'The spec asks for something that this version cannot do.',
    next: 'Change the field that the message names',
  },
} as const satisfies Record<string, ReasonText>;

/** The catalogue in its groups, in the order of the reference. */
export const REASON_GROUPS = {
  'Roots that do not enter': rootRefusals,
  'Roots that stay': rootUses,
  'Server certificates that have to go': serverNeeds,
  'Changes of the gateway Secret': { ...gatewayChanges, ...gatewayEvents },
  'What is in the way of the proof at the gateway': gatewayDoubts,
  'Why a client certificate is asked for': issueNeeds,
  'What an issuance waits for': issueWaits,
  'What a delivery waits for': deliveryWaits,
  'States of resources': states,
} as const satisfies Record<string, Record<string, ReasonText>>;

/** Every reason. */
export const REASONS = {
  ...rootRefusals,
  ...rootUses,
  ...serverNeeds,
  ...gatewayChanges,
  ...gatewayEvents,
  ...gatewayDoubts,
  ...issueNeeds,
  ...issueWaits,
  ...deliveryWaits,
  ...states,
} as const satisfies Record<string, ReasonText>;

export type Reason = keyof typeof REASONS;

/** What is so and what to do next, as one text for people. */
export function explain(reason: Reason): string {
  const { meaning, next } = REASONS[reason];
  return `${meaning} ${next}.`;
}
