import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { shapeOfKind } from './shape-of-kind.ts';
import { strategicMerged } from './strategic-merge.ts';

const pods = (spec: Json): JsonObject => ({ spec: { template: { spec } } });

function merged(target: Json, patch: Json): unknown {
  const answer = strategicMerged(shapeOfKind('apps/v1', 'Deployment'), pods(target), pods(patch));
  return answer.ok ? (answer.value as { spec: { template: { spec: unknown } } }).spec.template.spec : answer.refusal;
}

describe('a strategic merge patch', () => {
  const containers = [
    { name: 'a', image: 'x', env: [{ name: 'V', value: '1' }], args: ['1'] },
    { name: 'b', image: 'y' },
  ];

  test.each<readonly [string, Json, unknown]>([
    ['changes one container', { containers: [{ name: 'b', image: 'z' }] }, [containers[0], { name: 'b', image: 'z' }]],
    [
      'merges variables and replaces arguments',
      { containers: [{ name: 'a', env: [{ name: 'W', value: '2' }], args: [] }] },
      [
        {
          name: 'a',
          image: 'x',
          env: [
            { name: 'W', value: '2' },
            { name: 'V', value: '1' },
          ],
          args: [],
        },
        containers[1],
      ],
    ],
    ['deletes one', { containers: [{ name: 'a', $patch: 'delete' }] }, [containers[1]]],
    ['replaces all', { containers: [{ name: 'c' }, { $patch: 'replace' }] }, [{ name: 'c' }]],
    ['only sorts', { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }, [containers[1], containers[0]]],
  ])('%s', (_what, patch, expected) => {
    expect(merged({ containers }, patch)).toEqual({ containers: expected });
  });

  test('changes the source of a volume without leaving the old one', () => {
    const volumes = [{ name: 'v', emptyDir: {} }];
    const patch = { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] };
    expect(merged({ volumes }, patch)).toEqual({ volumes: [{ name: 'v', secret: { secretName: 's' } }] });
  });

  test('says which key is missing', () => {
    expect(merged({ containers }, { containers: [{ image: 'z' }] })).toMatchObject({
      code: 500,
      message: 'map: map[image:z] does not contain declared merge key: name',
    });
  });
});
