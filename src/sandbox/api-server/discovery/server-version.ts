/** `/version`: the release whose behaviour is followed here. */
export const SERVER_VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+keyturn-sandbox',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'node',
} as const;
