import type { ClientCertificate, Issuer, IssuerAnswer } from '../../issuers/issuer.ts';
import type { IssueStep } from '../decide/needs-issue.ts';
import type { Tell } from '../tell.ts';

/** Performs issuing steps, and knows how many were asked for and not answered yet. */
export interface Issuing {
  /** How many more issuances the waves allow. */
  places(most: number): number;
  /** @returns `again`: what was read is out of date; an event will tell, or a later look */
  perform(step: IssueStep, wanted: ClientCertificate, tell: Tell, signal: AbortSignal): Promise<IssuerAnswer>;
}

export function issuingWith(issuer: Issuer): Issuing {
  let asking = 0;
  return {
    places: (most) => Math.max(0, most - issuer.underWay() - asking),
    async perform(step, wanted, tell, signal) {
      if (step.step !== 'apply' && step.step !== 'renew') return 'done';
      // Counted from now on: others decide before the answer is there.
      asking += step.step === 'renew' ? 1 : 0;
      try {
        const answer =
          step.step === 'apply' ? await issuer.apply(wanted, signal) : await issuer.renew(wanted.runtime, signal);
        if (answer === 'done') tell.info('Client certificate asked for', { why: step.reason });
        else if (answer !== 'again') tell.warn('Certificate belongs to another program', { owners: answer.refused });
        return answer;
      } finally {
        asking -= step.step === 'renew' ? 1 : 0;
      }
    },
  };
}
