import { parseGoDuration } from '../cel/go-duration.ts';

/** Whether a text has a format; undefined for a format that the API server does not check. */
export function hasFormat(format: string, text: string): boolean | undefined {
  return CHECKS[format.replaceAll('-', '')]?.(text);
}

/** By the format's name without hyphens, as the API server compares them. */
const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  duration: (text) => parseGoDuration(text) !== undefined || parseSpokenDuration(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  ipv4: isIpv4,
  ipv6: (text) => text.includes(':') && URL.canParse(`http://[${text}]/`),
  cidr: isCidr,
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  email: (text) => /^[^@\s<>]+@[^@\s<>]+$/.test(text),
  hostname: (text) =>
    text.length <= 255 &&
    /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/.test(text),
  password: () => true,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
};

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const time = new Date(`${text}T00:00:00Z`);
  // 30 February becomes 2 March instead of a failure.
  return !Number.isNaN(time.getTime()) && time.getUTCDate() === Number(parts[3]);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const parts = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (parts === null || !isDate(date)) return false;
  return Number(parts[1]) < 24 && Number(parts[2]) < 60 && Number(parts[3]) < 60;
}

/** `2 days`, `3 hours`: besides Go's own form, the format takes words. */
function parseSpokenDuration(text: string): boolean {
  return /^(\d+(\.\d+)?\s*(ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)\s*)+$/i.test(
    text,
  );
}

function isIpv4(text: string): boolean {
  return (
    /^(\d{1,3})(\.\d{1,3}){3}$/.test(text) &&
    text.split('.').every((part) => String(Number(part)) === part && Number(part) < 256)
  );
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d+$/.test(bits)) return false;
  if (isIpv4(address)) return Number(bits) <= 32;
  return address.includes(':') && URL.canParse(`http://[${address}]/`) && Number(bits) <= 128;
}
