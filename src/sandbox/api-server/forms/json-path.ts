import { field, isList, type Json } from '../json.ts';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly at: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'where'; readonly path: readonly string[]; readonly value: Json };

/**
 * Reads what a printer column's `jsonPath` points to: fields, indexes, `[*]` and filters such as
 * `.status.conditions[?(@.type=="Ready")].status`. The first match, as the server prints it; undefined without one.
 */
export function jsonPathCell(path: string): (object: Json) => Json | undefined {
  const steps = stepsOf(path);
  return (object) => {
    const found = steps.reduce<readonly Json[]>(
      (values, step) => values.flatMap((value) => follow(value, step)),
      [object],
    );
    return found[0];
  };
}

function follow(value: Json, step: Step): readonly Json[] {
  switch (step.kind) {
    case 'field': {
      const found = field(value, step.name);
      return found === undefined ? [] : [found];
    }
    case 'index': {
      const found = isList(value) ? value.at(step.at) : undefined;
      return found === undefined ? [] : [found];
    }
    case 'all':
      return isList(value) ? value : [];
    case 'where':
      return isList(value)
        ? value.filter((item) => step.path.reduce<Json | undefined>(field, item) === step.value)
        : [];
  }
}

const TOKEN =
  /^(?:\.([A-Za-z_][-\w]*(?:\\\.[-\w]+)*)|\['([^']+)'\]|\[(-?\d+)\]|\[\*\]|\[\?\(\s*@((?:\.[A-Za-z_][-\w]*)+)\s*==\s*("[^"]*"|'[^']*'|true|false|-?\d+)\s*\)\])/;

function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path.replace(/^\{|\}$/g, '');
  while (rest !== '') {
    const match = TOKEN.exec(rest);
    if (match === null) return [{ kind: 'field', name: '' }];
    const [whole, name, quoted, index, filterPath, filterValue] = match;
    if (name !== undefined) steps.push({ kind: 'field', name: name.replaceAll('\\.', '.') });
    else if (quoted !== undefined) steps.push({ kind: 'field', name: quoted });
    else if (index !== undefined) steps.push({ kind: 'index', at: Number(index) });
    else if (filterPath !== undefined && filterValue !== undefined) {
      const value = JSON.parse(filterValue.replace(/^'|'$/g, '"')) as Json;
      steps.push({ kind: 'where', path: filterPath.split('.').slice(1), value });
    } else steps.push({ kind: 'all' });
    rest = rest.slice(whole.length);
  }
  return steps;
}
