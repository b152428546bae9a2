import { quoted } from '../go-text.ts';
import type { Refusal, StatusCause } from '../refusal.ts';
import { type FieldSet, pathsOf } from './field-set.ts';
import type { Manager, Managers } from './managed-fields.ts';
import { pathText } from './path-element.ts';

/** The 409 that names whose fields would change. */
export function conflictRefusal(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers): Refusal {
  const found = [...conflicts.keys()].sort().flatMap((id) => {
    const manager = managers.get(id);
    const fields = conflicts.get(id);
    if (manager === undefined || fields === undefined) return [];
    return [{ owner: ownerText(manager), paths: pathsOf(fields).map(pathText) }];
  });
  const causes = found.flatMap(({ owner, paths }) =>
    paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  const [only] = causes;
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${found.map(lines).join('\n')}`;
  return { code: 409, reason: 'Conflict', message, causes };
}

function lines({ owner, paths }: { readonly owner: string; readonly paths: readonly string[] }): string {
  return [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)].join('\n');
}

function ownerText({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === undefined ? quoted(name) : `${quoted(name)} with subresource ${quoted(subresource)}`;
  return operation === 'Update' ? `${who} using ${apiVersion}` : who;
}
