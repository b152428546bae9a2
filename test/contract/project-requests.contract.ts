import { beforeAll, expect, test } from 'vitest';
import * as requests from '../../src/kubernetes/request.ts';
import { type KubeObject, NAMESPACE, type Resource } from '../../src/kubernetes/resource.ts';
import { lifeCycles } from './lives.ts';
import type { Part } from './part.ts';
import type { Answer } from './speaker.ts';

const names = ({ body }: Answer): readonly string[] => body.items.map(({ metadata }) => metadata.name);

/** Every request that the product's client can form, of every kind of object that the project deals with. */
export const projectRequests: Part = {
  title: "requests of the project's client",
  file: 'project-requests',
  cases: (on) => {
    const namespaceName = 'project';
    beforeAll(() => on.api.namespace(namespaceName));

    const send = (request: requests.KubeRequest): Promise<Answer> => {
      const { accept = 'application/json', 'content-type': contentType } = request.headers;
      return on.api.ask(request.method, requests.requestTarget(request), {
        accept,
        compare: false,
        ...(contentType === undefined ? {} : { contentType }),
        ...(request.body === undefined ? {} : { text: request.body }),
      });
    };

    test.each(lifeCycles.map((one) => [one.called ?? one.resource.kind, one] as const))(
      'write, read and select objects of kind %s',
      async (_called, { resource, content, status }) => {
        const namespaced = resource.namespaced ? { namespace: namespaceName } : {};
        // Events must be about something in their own namespace.
        const about =
          resource.kind === 'Event' ? { regarding: { kind: 'Secret', namespace: namespaceName, name: 'any' } } : {};
        const object = (name: string): KubeObject => ({
          metadata: { name, ...namespaced, labels: { project: 'yes' } },
          ...content,
          ...about,
        });
        const ref = (name: string) => ({ name, ...namespaced });
        const fieldManager = 'keyturn';

        expect((await send(requests.create(resource, object('project-two'), {}))).status).toBe(201);
        const created = await send(requests.create(resource, object('project-one'), { fieldManager }));
        expect(created).toMatchObject({ status: 201, body: { metadata: ref('project-one') } });
        expect((await send(requests.create(resource, object('dry'), { dryRun: true }))).status).toBe(201);

        expect((await send(requests.get(resource, ref('project-one')))).body).toEqual(created.body);
        const partial = await send(requests.get(resource, ref('project-one'), { metadataOnly: true }));
        expect(partial.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: ref('project-one') });

        const both = ['project-one', 'project-two'];
        const label = { labelSelector: 'project=yes' };
        const name = { fieldSelector: 'metadata.name=project-one' };
        for (const scope of [namespaced, {}]) {
          for (const page of [{}, { limit: 500 }]) {
            expect(names(await send(requests.list(resource, { ...scope, ...label }, page)))).toEqual(both);
            expect(names(await send(requests.list(resource, { ...scope, ...name }, page)))).toEqual(['project-one']);
            expect(names(await send(requests.list(resource, scope, page)))).toEqual(expect.arrayContaining(both));
            expect((await send(requests.list(resource, { ...scope, metadataOnly: true }, page))).status).toBe(200);
            const meta = await send(requests.list(resource, { ...scope, ...label, metadataOnly: true }, page));
            expect(meta.body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{}, {}] });
          }
          // What a cache holds may be a moment old.
          const cached = { limit: 500, resourceVersion: '0' };
          expect((await send(requests.list(resource, { ...scope, ...label }, cached))).status).toBe(200);
          const first = await send(requests.list(resource, { ...scope, ...label }, { limit: 1 }));
          const token = String(first.body.metadata['continue']);
          const second = await send(requests.list(resource, { ...scope, ...label }, { limit: 1, continue: token }));
          expect([...names(first), ...names(second)]).toEqual(both);
        }

        await watchEach(resource, namespaced);

        const { body: current } = created;
        const changed = { ...current, metadata: { ...current.metadata, annotations: { a: 'b' } } } as KubeObject;
        const replaced = await send(requests.replace(resource, changed, { fieldManager }));
        expect(replaced).toMatchObject({ status: 200, body: { metadata: { annotations: { a: 'b' } } } });
        const stale = await send(requests.replace(resource, changed));
        expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } });

        const patch = { metadata: { annotations: { a: 'c' } } };
        const merged = await send(requests.mergePatch(resource, ref('project-one'), patch, { fieldManager }));
        expect(merged.body.metadata['annotations']).toEqual({ a: 'c' });
        expect((await send(requests.mergePatch(resource, ref('project-one'), patch))).status).toBe(200);
        const operations = [{ op: 'replace', path: '/metadata/annotations/a', value: 'd' }] as const;
        const stepwise = await send(requests.jsonPatch(resource, ref('project-one'), operations));
        expect(stepwise.body.metadata['annotations']).toEqual({ a: 'd' });

        const mine = { metadata: { ...ref('project-one'), annotations: { mine: 'e' } } };
        const applied = await send(requests.apply(resource, mine, { fieldManager: 'other' }));
        expect(applied.body.metadata['annotations']).toEqual({ a: 'd', mine: 'e' });
        const taken = { metadata: { ...ref('project-one'), annotations: { a: 'f' } } };
        expect((await send(requests.apply(resource, taken, { fieldManager: 'other' }))).status).toBe(409);
        const forced = await send(requests.apply(resource, taken, { fieldManager: 'other', force: true }));
        expect(forced.body.metadata['annotations']).toEqual({ a: 'f' });

        if (status !== undefined) await writeStatus(resource, ref('project-one'), status);

        const uid = '00000000-0000-4000-8000-000000000000';
        expect((await send(requests.remove(resource, ref('project-one'), { uid }))).status).toBe(409);
        const now = { gracePeriodSeconds: 0 };
        expect((await send(requests.remove(resource, ref('project-one'), now))).status).toBe(200);
        expect((await send(requests.remove(resource, ref('project-two'), now))).status).toBe(200);
        expect((await send(requests.get(resource, ref('project-one')))).status).toBe(404);
      },
    );

    async function watchEach(resource: Resource, scope: { readonly namespace?: string }): Promise<void> {
      const list = await send(requests.list(resource, { ...scope, labelSelector: 'project=yes' }));
      const { resourceVersion } = list.body.metadata;
      for (const where of [scope, {}]) {
        for (const selected of [{}, { labelSelector: 'project=yes' }, { fieldSelector: 'metadata.name=project-one' }]) {
          for (const metadataOnly of [false, true]) {
            const timeoutSeconds = 300;
            const selection = { ...where, ...selected, metadataOnly };
            const begun = requests.watch(resource, selection, { sendInitialEvents: true, timeoutSeconds });
            const { accept = '' } = begun.headers;
            const watch = await on.api.watch(requests.requestTarget(begun), { accept, compare: false });
            const [first] = await watch.take(1);
            expect(first?.type).toBe('ADDED');
            watch.close();
            const goneOn = requests.watch(resource, selection, { resourceVersion, timeoutSeconds });
            const later = await on.api.watch(requests.requestTarget(goneOn), { accept, compare: false });
            expect(later.status).toBe(200);
            later.close();
          }
        }
      }
    }

    async function writeStatus(resource: Resource, ref: { readonly name: string }, status: unknown): Promise<void> {
      const subresource = 'status';
      for (const options of [{}, { fieldManager: 'keyturn' }]) {
        const { body } = await send(requests.get(resource, ref));
        const written = await send(requests.replaceStatus(resource, { ...body, status } as KubeObject, options));
        expect(written).toMatchObject({ status: 200, body: { status } });
        expect((await send(requests.mergePatch(resource, ref, { status }, { ...options, subresource }))).status).toBe(
          200,
        );
      }
      const { body } = await send(requests.get(resource, ref));
      const type = { metadata: ref, status };
      for (const force of [true, false]) {
        const { metadata, ...rest } = { ...type, apiVersion: body.apiVersion, kind: body.kind };
        const options = { fieldManager: 'status', force };
        const applied = await send(requests.applyStatus(resource, { metadata, ...rest } as KubeObject, options));
        expect(applied.status).toBe(200);
      }
    }

    test('apply namespaces', async () => {
      for (const force of [true, false]) {
        const applied = requests.apply(NAMESPACE, { metadata: { name: 'project-too' } }, { fieldManager: 'me', force });
        expect((await send(applied)).status).toBeLessThan(300);
      }
      expect(names(await send(requests.list(NAMESPACE, {}, { limit: 500 })))).toContain('project-too');
    });
  },
};
