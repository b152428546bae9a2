import type { Cluster } from '../cluster.ts';

export function collectGarbage(_cluster: Cluster): void {}
