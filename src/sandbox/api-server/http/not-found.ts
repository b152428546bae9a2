import { resourceNotFound } from '../status.ts';
import { textAnswer } from './answer.ts';
import type { Outcome, RoutedRequest } from './routed-request.ts';

/** What a real server answers for a path that it does not know, in plain text. */
export function pageNotFound(): Outcome {
  return textAnswer(404, '404 page not found\n');
}

/** A built-in group answers for what is not in it; for others nobody does. */
export function nothingThere({ parts }: RoutedRequest, group: string): Outcome {
  const isBuiltIn = parts.cluster.registry.all().some((kind) => kind.group === group && !kind.custom);
  if (isBuiltIn) throw resourceNotFound();
  return pageNotFound();
}
