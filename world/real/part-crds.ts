import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { KubernetesObject } from '../cluster-client.ts';
import { readCrds } from '../crds.ts';
import { partCrdFiles } from './parts/cache.ts';
import type { PartName } from './parts/catalogue.ts';

/**
 * The CRDs that came with a part. Istio's are a megabyte of YAML, of which two thirds are descriptions: read once and kept
 * as short JSON, or else each start of a world would spend seconds of both the parser's and the API server's time on them.
 */
export async function partCrds(name: PartName): Promise<KubernetesObject[]> {
  const files = partCrdFiles(name);
  const kept = join(dirname(files[0] ?? ''), 'crds.json');
  if (existsSync(kept)) return JSON.parse(await readFile(kept, 'utf8')) as KubernetesObject[];
  const crds = await readCrds(files);
  const fresh = `${kept}.${process.pid}.${randomUUID()}`;
  await writeFile(fresh, JSON.stringify(crds));
  await rename(fresh, kept);
  return crds;
}
