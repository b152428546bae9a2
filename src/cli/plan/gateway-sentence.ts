import type { CandidateNeed } from '../../rotation/decide/candidate.ts';
import type { GatewayAction, GatewayChange } from '../../rotation/decide/gateway.ts';
import type { Digest } from '../../rotation/decide/values.ts';
import { textOf } from '../hub/conditions.ts';
import { counted, short } from '../table.ts';

/** What a step at the gateway does, as a sentence in the present. */
export function sentenceOf(action: GatewayAction, name: (digest: Digest) => string = rootName): string {
  switch (action.do) {
    case 'create':
      return `the gateway Secret is created from ${name(action.root.digest)}`;
    case 'restore':
      return `the gateway Secret is restored with ${counted(action.bundle.length, 'root')}`;
    case 'issueCandidate':
      return `a server certificate of ${name(action.root.digest)} is issued and kept aside (${reasonOf(action.why)})`;
    case 'readFleet':
      return 'the fleet is read live, and then it is decided again';
    case 'write':
      return changes[action.why];
  }
}

const changes: Readonly<Record<GatewayChange, string>> = {
  RootReturns: 'the current root loses its mark: it does not leave',
  RootAdded: 'the current root enters the bundle of the gateway',
  RecordRepaired: 'the annotations of the gateway Secret are put right',
  ServerSwitched: 'the gateway gets the server certificate that was kept aside',
  RootClosing: 'roots that nobody uses are marked: no more certificates of them go out',
  RootKept: 'a marked root stays, since a user of it was found',
  RootRetired: 'roots that nobody uses leave the bundle of the gateway',
  RootExpired: 'roots that have expired, or that a renewal outlives, leave the bundle of the gateway',
  RootRevoked: 'revoked roots leave the bundle of the gateway',
};

function rootName(digest: Digest): string {
  return `root ${short(digest)}`;
}

function reasonOf(need: CandidateNeed): string {
  return textOf(need).meaning.replace(/\.$/, '');
}
