import { aggregatedDiscovery } from '../discovery/aggregated.ts';
import { apiGroupList, apiGroupOf, apiResourceList, apiVersions } from '../discovery/legacy.ts';
import { SERVER_VERSION } from '../discovery/server-version.ts';
import type { Json } from '../json.ts';
import { openApiV2 } from '../openapi/v2.ts';
import { openApiV3, openApiV3Index } from '../openapi/v3.ts';
import { jsonAnswer, textAnswer } from './answer.ts';
import { type AnswerForm, negotiate } from './negotiate.ts';
import { nothingThere, pageNotFound } from './not-found.ts';
import type { Outcome, RoutedRequest } from './routed-request.ts';

/** Answers for paths that are no resource: health, version, discovery and schemas. */
export function answerPath(request: RoutedRequest, path: string): Outcome {
  const { parts, accept } = request;
  const { registry } = parts.cluster;
  const trimmed = path.length > 1 ? path.replace(/\/+$/, '') : path;
  switch (trimmed) {
    case '/readyz':
    case '/livez':
    case '/healthz':
      return textAnswer(200, 'ok');
    case '/version':
      return found(request, SERVER_VERSION);
    case '/api':
    case '/apis': {
      const form = negotiate(accept, isAggregated);
      const root = trimmed === '/api' ? 'api' : 'apis';
      if (form.as === undefined) {
        return jsonAnswer(200, { value: root === 'api' ? apiVersions(parts.server) : apiGroupList(registry) }, form);
      }
      const version = form.version === 'v2beta1' ? 'v2beta1' : 'v2';
      const answer = jsonAnswer(200, { value: aggregatedDiscovery(registry, root, version) }, form);
      // By this parameter, and not by the body, kubectl sees that it got what it asked for.
      const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      return { ...answer, contentType: type, headers: { vary: 'Accept' } };
    }
    case '/openapi/v2':
      return { code: 200, contentType: 'application/json', text: openApiV2(registry) };
    case '/openapi/v3':
      return found(request, openApiV3Index(registry));
    default:
      return deeper(request, trimmed);
  }
}

function deeper(request: RoutedRequest, path: string): Outcome {
  const { registry } = request.parts.cluster;
  const [, root = '', second = '', third = '', fourth = '', ...more] = path.split('/');
  if (root === 'openapi' && second === 'v3') {
    const text = openApiV3(registry, path.slice('/openapi/v3/'.length));
    return text === undefined ? pageNotFound() : { code: 200, contentType: 'application/json', text };
  }
  if (fourth !== '' || more.length > 0) return pageNotFound();
  if (root === 'api' && third === '') {
    const resources = apiResourceList(registry, '', second);
    return resources === undefined ? nothingThere(request, '') : found(request, resources);
  }
  if (root !== 'apis') return pageNotFound();
  return found(request, third === '' ? apiGroupOf(registry, second) : apiResourceList(registry, second, third));
}

function found({ accept }: RoutedRequest, value: Json | undefined): Outcome {
  if (value === undefined) return pageNotFound();
  return jsonAnswer(
    200,
    { value },
    negotiate(accept, () => false),
  );
}

function isAggregated({ as, version }: AnswerForm): boolean {
  return as === 'APIGroupDiscoveryList' && (version === 'v2' || version === 'v2beta1');
}
