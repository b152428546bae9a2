import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { buildPart } from './build.ts';
import { binaryPath, fromKubebuilderAssets } from './cache.ts';
import { type Part, type PartName, part, partNames } from './catalogue.ts';
import { findTools, type Tools } from './tools.ts';

const execute = promisify(execFile);

export interface ReadyPart {
  readonly state: 'ready';
  readonly name: PartName;
  readonly version: string;
  readonly path: string;
  /** Time spent on building it just now, 0 when it was there. */
  readonly seconds: number;
}

export interface MissingPart {
  readonly state: 'missing';
  readonly name: PartName;
  readonly version: string;
  readonly estimatedSeconds: number;
}

export interface UnbuildablePart {
  readonly state: 'unbuildable';
  readonly name: PartName;
  readonly version: string;
  /** What has to be installed first. */
  readonly lacks: string;
  /** One line: what is lacking and what to do. */
  readonly why: string;
}

export type PartState = ReadyPart | MissingPart | UnbuildablePart;

export type PartProgress =
  | { readonly step: 'building'; readonly part: MissingPart }
  | { readonly step: 'done'; readonly part: PartState };

export interface EnsureOptions {
  readonly onProgress?: (progress: PartProgress) => void;
  readonly signal?: AbortSignal;
}

/** Parts that must be built first, and those that cannot be built here. Builds nothing; takes milliseconds when all are there. */
export async function missingParts(names: readonly PartName[] = partNames): Promise<(MissingPart | UnbuildablePart)[]> {
  const states = await partStates(names);
  return states.filter((state) => state.state !== 'ready');
}

export async function partStates(names: readonly PartName[] = partNames): Promise<PartState[]> {
  return (await survey(names)).states;
}

async function survey(names: readonly PartName[]): Promise<{ states: PartState[]; tools: Tools }> {
  const isAbsent = (one: Part) => fromKubebuilderAssets(one.name) === undefined && !existsSync(binaryPath(one));
  const absent = names.map(part).filter(isAbsent);
  const tools = await findTools(new Set(absent.map(({ recipe }) => recipe.kind)));
  const states = names.map(part).map((one) => (absent.includes(one) ? absentState(one, tools) : presentState(one)));
  return { states: await Promise.all(states), tools };
}

/** Builds what is missing, one part after the other (each build uses all cores). Never throws for a missing tool: see `state`. */
export async function ensureParts(
  names: readonly PartName[] = partNames,
  options: EnsureOptions = {},
): Promise<PartState[]> {
  const { states: found, tools } = await survey(names);
  const states: PartState[] = [];
  for (const before of found) {
    let state = before;
    if (before.state === 'missing') {
      options.onProgress?.({ step: 'building', part: before });
      const startedMs = performance.now();
      await buildPart(part(before.name), tools, options.signal);
      const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
      state = { ...(await presentState(part(before.name))), seconds };
    }
    options.onProgress?.({ step: 'done', part: state });
    states.push(state);
  }
  return states;
}

/** "about 4 min", to be said before a build begins. */
export function aboutHowLong(missing: readonly { readonly estimatedSeconds: number }[]): string {
  const seconds = missing.reduce((sum, { estimatedSeconds }) => sum + estimatedSeconds, 0);
  return seconds < 90
    ? `about ${Math.max(10, Math.ceil(seconds / 10) * 10)} s`
    : `about ${Math.round(seconds / 60)} min`;
}

/** One line for all of them: what cannot be built, and what to install. */
export function whyUnbuildable(parts: readonly UnbuildablePart[]): string {
  const lacks = [...new Set(parts.map((part) => part.lacks))].join(', and ');
  return `${parts.map(({ name }) => name).join(', ')} cannot be built here: install ${lacks}`;
}

async function presentState(one: Part): Promise<ReadyPart> {
  const given = fromKubebuilderAssets(one.name);
  if (given === undefined)
    return { state: 'ready', name: one.name, version: one.version, path: binaryPath(one), seconds: 0 };
  return { state: 'ready', name: one.name, version: await reportedVersion(given), path: given, seconds: 0 };
}

function absentState(one: Part, tools: Tools): MissingPart | UnbuildablePart {
  const { name, version, estimatedSeconds } = one;
  if (one.recipe.kind === 'go' && tools.go === undefined) {
    return {
      state: 'unbuildable',
      name,
      version,
      lacks: 'Go 1.26 or later',
      why: `${name} is not built and Go is missing: install Go 1.26 or later`,
    };
  }
  if (one.recipe.kind === 'pip' && tools.pip === undefined) {
    return {
      state: 'unbuildable',
      name,
      version,
      lacks: 'Python 3 with pip',
      why: `${name} is not installed and pip is missing: install Python 3 with pip`,
    };
  }
  return { state: 'missing', name, version, estimatedSeconds };
}

async function reportedVersion(path: string): Promise<string> {
  const { stdout } = await execute(path, ['--version'], { timeout: 20_000 });
  const number = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
  return number === undefined ? 'unknown' : `v${number}`;
}
