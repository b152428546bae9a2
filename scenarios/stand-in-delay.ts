import type { History } from '../src/checker/history.ts';

export interface StandInDelay {
  /** The longest time from a write of a runtime's Secret until its folder showed it or a later one. */
  readonly longestMs: number;
  readonly runtime: string;
  readonly atMs: number;
}

/**
 * How late the kubelet stand-ins were. They promise 5 s and a look; on a machine that stops for seconds they break that
 * promise, and then a failed request says nothing of the product. A value that no swap followed is not counted, nor is a
 * version that differs in no file: kubelet leaves the folder alone then.
 */
export function longestStandInDelay({ secrets, swaps }: History): StandInDelay | null {
  let longest: StandInDelay | null = null;
  for (const runtime of new Set(swaps.map((swap) => swap.runtime))) {
    const values = valuesOf(secrets.filter((version) => version.role === 'runtime' && version.runtime === runtime));
    let mounted = -1;
    for (const swap of swaps) {
      if (swap.runtime !== runtime || swap.data === null) continue;
      const index = values.findIndex(({ resourceVersions }) => resourceVersions.includes(swap.resourceVersion ?? ''));
      const oldest = values[mounted + 1];
      if (index < 0 || oldest === undefined || index <= mounted) continue;
      mounted = index;
      const longestMs = swap.atMs - oldest.atMs;
      if (longest === null || longestMs > longest.longestMs) longest = { longestMs, runtime, atMs: swap.atMs };
    }
  }
  return longest;
}

interface Value {
  readonly atMs: number;
  /** A version that changes no file is of the value before it. */
  readonly resourceVersions: string[];
}

function valuesOf(versions: History['secrets']): readonly Value[] {
  const values: Value[] = [];
  let files = '';
  for (const { data, atMs, resourceVersion } of versions) {
    const now = JSON.stringify(data);
    if (now === files) values.at(-1)?.resourceVersions.push(resourceVersion);
    else values.push({ atMs, resourceVersions: [resourceVersion] });
    files = now;
  }
  return values;
}
