import { notAcceptable } from '../status.ts';

/** How an answer is to look, from the `Accept` header. */
export interface AnswerForm {
  readonly mediaType: 'application/json' | 'application/yaml';
  /** `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, `APIGroupDiscoveryList`; undefined: the object itself. */
  readonly as?: string;
  /** Version of the group in `g` that `as` is wanted in. */
  readonly version?: string;
}

const PLAIN: AnswerForm = { mediaType: 'application/json' };

/**
 * The first form in the header that `serves` agrees to.
 * @throws {StatusError} 406 where the client takes nothing that is served here, such as protobuf alone
 */
export function negotiate(
  accept: string | undefined,
  serves: (form: AnswerForm) => boolean,
  custom = false,
): AnswerForm {
  if (accept === undefined || accept === '' || accept === 'application/json') return PLAIN;
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const mediaType = servedType(type.toLowerCase());
    if (mediaType === undefined) continue;
    const values = new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string]));
    const as = values.get('as');
    const version = values.get('v');
    const form = {
      mediaType,
      ...(as === undefined ? {} : { as }),
      ...(version === undefined ? {} : { version }),
    };
    if (as === undefined || serves(form)) return form;
  }
  throw notAcceptable(custom);
}

function servedType(type: string): AnswerForm['mediaType'] | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'application/json';
  return type === 'application/yaml' ? type : undefined;
}
