const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** What is wrong with a name, in the server's words; undefined for a good one. */
export function dnsSubdomainDefect(name: string): string | undefined {
  if (name.length > 253) return 'must be no more than 253 characters';
  return SUBDOMAIN.test(name) ? undefined : SUBDOMAIN_TEXT;
}

export function dnsLabelDefect(name: string): string | undefined {
  if (name.length > 63) return 'must be no more than 63 characters';
  return LABEL.test(name) ? undefined : LABEL_TEXT;
}

/** RBAC names: anything that can stand as one part of a path. */
export function pathSegmentDefect(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const bad = ['/', '%'].find((character) => name.includes(character));
  return bad === undefined ? undefined : `may not contain '${bad}'`;
}

const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Keys of labels and annotations: `name` or `domain/name`. */
export function qualifiedNameDefect(key: string): string | undefined {
  const slash = key.lastIndexOf('/');
  const name = key.slice(slash + 1);
  if (slash >= 0) {
    const defect = dnsSubdomainDefect(key.slice(0, slash));
    if (defect !== undefined) return `prefix part ${defect}`;
  }
  if (name.length > 63) return 'name part must be no more than 63 characters';
  return QUALIFIED_PART.test(name) ? undefined : QUALIFIED_TEXT;
}

export function labelValueDefect(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 characters';
  return value === '' || QUALIFIED_PART.test(value) ? undefined : VALUE_TEXT;
}
