import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { crds } from '../../src/api/manifests.ts';
import { readCrds } from '../../world/crds.ts';
import { projectRoot } from '../../world/project-root.ts';
import type { ApiUnderTest } from './api-under-test.ts';
import certificateCrd from './cert-manager-certificates.json' with { type: 'json' };
import { opaqueCrds, widgetCrd } from './definitions.ts';
import { differences } from './differences.ts';
import { parts } from './parts.ts';
import recorded from './recorded-kinds.json' with { type: 'json' };
import { createSpeaker, type Speaker } from './speaker.ts';
import { type Answers, createTranscript, readAnswers, type Transcript, writeAnswers } from './transcript.ts';

/**
 * Holds one API server to the contract: each test says one behaviour, and every answer in it must be the one that is
 * kept in `answers/`. Those are the real server's own: `KEYTURN_KEEP_ANSWERS=1` makes its run write them anew.
 *
 * @param start starts it, empty
 */
export function describeContract(name: ApiUnderTest['name'], start: () => Promise<ApiUnderTest>): void {
  const keep = name === 'real' && process.env['KEYTURN_KEEP_ANSWERS'] === '1';
  /** File to which each answer that differs is appended, for whoever works on the double. */
  const differencesFile = process.env['KEYTURN_CONTRACT_DIFFERENCES'];

  describe(name, { timeout: 30_000 }, () => {
    let api: ApiUnderTest;
    let speaker: Speaker;
    const transcript: Transcript = createTranscript(() => api.server);

    beforeAll(async () => {
      api = await start();
      speaker = createSpeaker(api, transcript.tell);
      await installCrds(speaker);
    });
    afterAll(async () => {
      await speaker?.close();
      await api?.stop();
    });

    for (const { title, file, cases } of parts) {
      describe(title, () => {
        const answers: Record<string, Answers[string]> = {};
        let kept: Answers = {};
        beforeAll(async () => {
          if (!keep) kept = await readAnswers(file);
        });
        beforeEach(() => transcript.begin());
        afterEach(async ({ task }) => {
          speaker.closeWatches();
          const told = transcript.soFar();
          if (told.length === 0) return;
          answers[task.name] = told;
          if (keep) return;
          if (differencesFile !== undefined) await report(differencesFile, task.name, told, kept[task.name] ?? []);
          expect(told, 'answers differ from those of the real API server').toEqual(kept[task.name]);
        });
        afterAll(async () => {
          if (keep) await writeAnswers(file, answers);
        });
        cases({
          get api() {
            return speaker;
          },
          get server() {
            return api;
          },
        });
      });
    }

    describe('requests', () => {
      test('are of the same kinds by the account of the server as by ours', ({ skip }) => {
        const seen = api.kindsSeen?.();
        if (seen === undefined) return skip('this API server keeps no account');
        expect([...seen].sort()).toEqual([...speaker.kinds()].sort());
      });

      test.each(recorded)('of the kind "%s", which the project sends, are in this contract', (kind) => {
        expect(speaker.kinds()).toContain(kind);
      });
    });
  });
}

async function report(file: string, sentence: string, told: Answers[string], kept: Answers[string]): Promise<void> {
  const text = differences(kept ?? [], told ?? []);
  if (text !== '') await appendFile(file, `\n## ${sentence}\n\n${text}`);
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** Our own, Kyma's, cert-manager's, and one of the contract's own for what ours have no need of. */
async function installCrds(speaker: Speaker): Promise<void> {
  const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const kyma = await readCrds([join(projectRoot, 'world/manifests/kyma-crd.yaml')]);
  const all = [
    ...(crds() as unknown as readonly Crd[]),
    ...(kyma as unknown as readonly Crd[]),
    certificateCrd,
    ...opaqueCrds,
    widgetCrd,
  ];
  for (const crd of all) await speaker.post(collection, crd, { compare: false });
  for (const { metadata, spec } of all) {
    const { name } = metadata;
    await speaker.eventually(
      () => speaker.get(`${collection}/${name}`, { compare: false }),
      ({ body }) => JSON.stringify(body['status'] ?? '').includes('"type":"Established"'),
    );
    const path = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`;
    await speaker.eventually(
      () => speaker.get(path, { compare: false }),
      ({ status }) => status === 200,
    );
  }
}
