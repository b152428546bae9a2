/** The field names and indexes of a pointer (RFC 6901); undefined for one that does not start with a slash. */
export function pointerPath(pointer: string): readonly string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The reverse of {@link pointerPath}. */
export function pointerText(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
