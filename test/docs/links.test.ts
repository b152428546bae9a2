import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { scenarioNames } from '../../scenarios/programme.ts';
import { runProgram } from '../../src/cli/program.ts';
import { projectRoot } from '../../world/project-root.ts';
import { allPages, anchorsOf, codeOf, relativeLinks } from './documents.ts';

const pages = allPages();
const readme = pages.find(({ path }) => path === 'README.md');
const scripts = (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { scripts: object }).scripts;

/** Sub-command → its help; the empty name is the whole command line. */
const help = new Map<string, string>();
beforeAll(async () => {
  help.set('', await helpOf());
  const commands = /\nCommands:\n([\s\S]*)/.exec(help.get('') ?? '')?.[1] ?? '';
  for (const [, name = ''] of commands.matchAll(/^ {2}([a-z][a-z-]*)/gm)) {
    help.set(name, name === 'help' ? '' : await helpOf(name));
  }
});

test('there are pages, and the help names commands', () => {
  expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/install.md']));
  expect([...help.keys()]).toEqual(expect.arrayContaining(['operator', 'crds']));
});

test.each(pages.map((page) => [page.path, page] as const))('every link of %s leads somewhere', (path, page) => {
  const dead = relativeLinks(page).filter(({ target, anchor }) => {
    const file = target === '' ? path : join(dirname(path), target);
    if (!existsSync(join(projectRoot, file))) return true;
    return anchor !== '' && !anchorsOf(readFileSync(join(projectRoot, file), 'utf8')).includes(anchor);
  });
  expect(dead).toEqual([]);
});

test('every page of docs can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    const page = pages.find((one) => one.path === path);
    for (const { target } of page === undefined ? [] : relativeLinks(page)) {
      if (target.endsWith('.md')) reached.add(join(dirname(path), target));
    }
  }
  const lost = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !reached.has(path));
  expect(lost).toEqual([]);
});

test('the README names two commands to begin with', () => {
  const code = codeOf(readme ?? { path: '', text: '' }).join('\n');
  expect(code).toContain('npm ci && npx keyturn sandbox');
  expect(code).toContain('npm run demo');
  expect(code).toContain('npm test');
});

test.each(pages.map((page) => [page.path, page] as const))('every npm script that %s names exists', (_, page) => {
  const code = codeOf(page).join('\n');
  const named = [...code.matchAll(/\bnpm (?:run(?: --silent)? ([a-z][a-z:-]*)|(test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  );
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

test.each(pages.map((page) => [page.path, page] as const))(
  'every command and flag of keyturn that %s names exists',
  (_, page) => {
    const wrong: string[] = [];
    for (const code of codeOf(page)) {
      for (const [call, , name = '', rest = ''] of code.matchAll(commandLine)) {
        const known = help.get(name);
        if (known === undefined) wrong.push(call);
        const flags = rest.match(/--[a-z-]+/g) ?? [];
        for (const flag of flags)
          if (known !== undefined && !known.includes(`${flag} `)) wrong.push(`${call}: ${flag}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

/** A call at the start of a line or span, or after `npx` or `;`; up to a pipe, a comment or the end of the line. */
const commandLine = /(^|npx |; |&& )(?:keyturn|node dist\/src\/cli\/main\.js) ([a-z][a-z-]*)((?:(?![|#;]|&&).)*)/gm;

test('every scenario has its row, and no other has one', () => {
  const page = pages.find(({ path }) => path === 'docs/scenarios.md');
  const section = /## The scenarios\n([\s\S]*?)\n## /.exec(page?.text ?? '')?.[1] ?? '';
  const rows = [...section.matchAll(/^\| `([a-z-]+)/gm)].map(([, name]) => name);
  expect(new Set(rows)).toEqual(new Set(scenarioNames));
});

async function helpOf(...command: readonly string[]): Promise<string> {
  let text = '';
  await runProgram([...command, '--help'], {
    loadOperator: () => Promise.reject(new Error('Help needs no operator')),
    write: (written) => {
      text += written;
    },
    writeError: () => undefined,
  });
  return text;
}
