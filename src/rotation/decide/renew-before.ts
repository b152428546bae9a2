import type { Root } from './values.ts';

/**
 * How long before its end a leaf is renewed, in milliseconds. A leaf never outlives its root, so close to the root's end
 * another leaf of it would be due at once as well, and again: half of what is left of the root is the most that can be asked for.
 *
 * @param nowMs epoch milliseconds
 */
export function renewBeforeMs(wantedMs: number, current: Root | null, nowMs: number): number {
  return current === null ? wantedMs : Math.min(wantedMs, Math.max(0, (current.notAfterMs - nowMs) / 2));
}
