import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from '../../world/project-root.ts';

/** A page of Markdown in the repository. */
interface Page {
  /** From the root of the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface Link {
  /** As written, without the anchor. */
  readonly target: string;
  /** Without `#`; empty when there is none. */
  readonly anchor: string;
}

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Every page, in any folder. */
export function allPages(folder = projectRoot): Page[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : allPages(path);
    if (!entry.name.endsWith('.md')) return [];
    return [{ path: relative(projectRoot, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }];
  });
}

/** Links to files of the project or to headings; addresses with a scheme are somebody else's. */
export function relativeLinks({ text }: Page): Link[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#', 2);
      return { target: file, anchor };
    });
}

/** Anchors as GitHub makes them from headings. */
export function anchorsOf(text: string): string[] {
  return [...withoutCode(text, false).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What stands in blocks and spans of code. */
export function codeOf({ text }: Page): string[] {
  const blocks = [...text.matchAll(/^```[a-z]*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const spans = [...text.replaceAll(/^```[a-z]*\n[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)];
  return [...blocks, ...spans.map(([, code = '']) => code)];
}

function withoutCode(text: string, spansToo = true): string {
  const rest = text.replaceAll(/^```[a-z]*\n[\s\S]*?^```$/gm, '');
  return spansToo ? rest.replaceAll(/`[^`\n]+`/g, '') : rest;
}
