import type { Json } from '../../json.ts';
import { listAt, objectAt, textAt, textsAt } from '../../object-fields.ts';
import type { FieldError } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import type { OwnRules } from './own-rules.ts';

export const webhookConfigurationRules: OwnRules = {
  countsGenerations: true,
  replacesUnconditionally: false,
  withDefaults: (configuration) =>
    configuration['webhooks'] === undefined
      ? configuration
      : { ...configuration, webhooks: listAt(configuration, 'webhooks').map(webhookWithDefaults) },
  validate(next) {
    const names = new Set<string>();
    return listAt(next, 'webhooks').flatMap((webhook, index): FieldError[] => {
      const at = `webhooks[${index}]`;
      const errors: FieldError[] = [];
      const name = textAt(webhook, 'name') ?? '';
      if (name === '') errors.push(fieldError.required(`${at}.name`));
      else if (name.split('.').length < 3) {
        errors.push(
          fieldError.invalid(`${at}.name`, name, 'should be a domain with at least three segments separated by dots'),
        );
      }
      if (names.has(name))
        errors.push({ field: `${at}.name`, reason: 'FieldValueDuplicate', message: `Duplicate value: "${name}"` });
      names.add(name);
      const sideEffects = textAt(webhook, 'sideEffects');
      if (sideEffects === undefined) {
        errors.push(fieldError.required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
      } else if (sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
        errors.push(fieldError.notSupported(`${at}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun']));
      }
      const client = objectAt(webhook, 'clientConfig');
      if ((client['url'] === undefined) === (client['service'] === undefined)) {
        errors.push(fieldError.required(`${at}.clientConfig`, 'exactly one of url or service is required'));
      }
      if (textsAt(webhook, 'admissionReviewVersions').length === 0) {
        errors.push(fieldError.required(`${at}.admissionReviewVersions`, 'must specify one of v1, v1beta1'));
      }
      const timeout = objectAt(webhook)['timeoutSeconds'];
      if (typeof timeout !== 'number' || timeout < 1 || timeout > 30) {
        errors.push(
          fieldError.invalid(`${at}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds'),
        );
      }
      return errors;
    });
  },
};

function webhookWithDefaults(webhook: Json): Json {
  const fields = objectAt(webhook);
  const client = objectAt(fields, 'clientConfig');
  const service = client['service'] === undefined ? {} : { service: { port: 443, ...objectAt(client, 'service') } };
  return {
    matchPolicy: 'Equivalent',
    failurePolicy: 'Fail',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...fields,
    clientConfig: { ...client, ...service },
    ...(fields['rules'] === undefined
      ? {}
      : { rules: listAt(fields, 'rules').map((rule) => ({ scope: '*', ...objectAt(rule) })) }),
  };
}
