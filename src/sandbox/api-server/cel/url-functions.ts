import { CelList, CelMap, CelUrl, type CelValue, fail, noOverload } from './value.ts';

type UrlFunction = (args: readonly CelValue[]) => CelValue;

/** What `url()` takes: an absolute address or an absolute path. */
function parsed(text: string): CelUrl | undefined {
  if (/[\p{Cc} ]/u.test(text)) return undefined;
  if (text.startsWith('/')) return new CelUrl(new URL(text, 'path:///'), text);
  return /^[a-zA-Z][-+.a-zA-Z0-9]*:/.test(text) && URL.canParse(text) ? new CelUrl(new URL(text), text) : undefined;
}

function of(part: (url: URL, text: string) => CelValue): UrlFunction {
  return ([value]) => (value instanceof CelUrl ? part(value.url, value.text) : noOverload());
}

export const URL_FUNCTIONS: Readonly<Record<string, UrlFunction>> = {
  url: ([text]) => {
    if (typeof text !== 'string') return noOverload();
    return (
      parsed(text) ?? fail(`URL parse error during conversion from string: parse "${text}": invalid URI for request`)
    );
  },
  isURL: ([text]) => (typeof text === 'string' ? parsed(text) !== undefined : noOverload()),
  getScheme: of((url) => (url.protocol === 'path:' ? '' : url.protocol.slice(0, -1))),
  // From the text, because URL leaves out a port that is the scheme's own.
  getHost: of((_url, text) => authority(text)),
  getHostname: of((_url, text) =>
    authority(text)
      .replace(/:\d*$/, '')
      .replace(/^\[|\]$/g, ''),
  ),
  getPort: of((_url, text) => /:(\d+)$/.exec(authority(text))?.[1] ?? ''),
  getEscapedPath: of((url, text) =>
    url.pathname === '/' && !/[^/]\/($|[?#])/.test(text) && text !== '/' ? '' : url.pathname,
  ),
  getQuery: of((url) => {
    const names = [...new Set(url.searchParams.keys())];
    return new CelMap(names.map((name) => [name, new CelList(url.searchParams.getAll(name))]));
  }),
};

function authority(text: string): string {
  return /^[a-zA-Z][-+.a-zA-Z0-9]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(text)?.[1] ?? '';
}
