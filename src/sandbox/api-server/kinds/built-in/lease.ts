import type { JsonObject } from '../../json.ts';
import { objectAt } from '../../object-fields.ts';
import { badRequest } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import { isMicroTime, microTimeDefect } from '../micro-time.ts';
import type { OwnRules } from './own-rules.ts';

export const leaseRules: OwnRules = {
  replacesUnconditionally: false,
  createsOnReplace: true,
  blank: { spec: {} },
  withDefaults(lease) {
    const spec = objectAt(lease, 'spec');
    for (const field of ['acquireTime', 'renewTime']) refuseOtherTimes(spec, field);
    return { ...lease, spec };
  },
  validate(next) {
    const spec = objectAt(next, 'spec');
    const { leaseDurationSeconds, leaseTransitions } = spec;
    return [
      ...(typeof leaseDurationSeconds === 'number' && leaseDurationSeconds <= 0
        ? [fieldError.invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0')]
        : []),
      ...(typeof leaseTransitions === 'number' && leaseTransitions < 0
        ? [fieldError.invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0')]
        : []),
    ];
  },
};

function refuseOtherTimes(spec: JsonObject, field: string): void {
  const value = spec[field];
  if (value === undefined || value === null || isMicroTime(value)) return;
  const time = JSON.stringify(value).slice(1, -1);
  throw badRequest(`Lease in version "v1" cannot be handled as a Lease: ${microTimeDefect(time)}`);
}
