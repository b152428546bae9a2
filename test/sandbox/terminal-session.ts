import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtCommand } from './built-command.ts';

/** A program on a terminal: keys, and what a person sees there. */
export interface TerminalSession {
  press(keys: string): void;
  /** Waits until the screen shows it; the pattern goes over all its lines. @returns the first group, or the whole match */
  shows(pattern: RegExp): Promise<string>;
  /** The lines of the screen, the last ones at the bottom; without colours. */
  screen(): string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly child: ChildProcess;
}

const patienceMs = 60_000;
const lookEveryMs = 20;
const escapeByte = String.fromCharCode(27);
/** How a table is drawn anew: some rows up, and everything below them cleared. */
const redraw = new RegExp(`${escapeByte}\\[(\\d+)A${escapeByte}\\[0J`, 'u');
const colour = new RegExp(`${escapeByte}\\[[0-9;]*m`, 'gu');

/** The built command, which takes its pipes for a terminal. */
export function keyturnAtATerminal(...args: readonly string[]): TerminalSession {
  const preload = join(import.meta.dirname, 'at-a-terminal.mjs');
  return sessionOf(spawn(process.execPath, ['--import', preload, builtCommand, ...args]));
}

/** The built command on a pseudo terminal of util-linux. */
export function keyturnAtAPseudoTerminal(...args: readonly string[]): TerminalSession {
  const line = [process.execPath, builtCommand, ...args].map((word) => `'${word}'`).join(' ');
  return sessionOf(spawn('script', ['--quiet', '--return', '--command', line, '/dev/null']));
}

function sessionOf(child: ChildProcess): TerminalSession {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  }
  return {
    child,
    press: (keys) => child.stdin?.write(keys),
    screen: () => screenOf(text),
    async shows(pattern) {
      for (const untilMs = performance.now() + patienceMs; ; ) {
        const isOver = child.exitCode !== null || performance.now() > untilMs;
        const shown = pattern.exec(screenOf(text));
        if (shown !== null) return shown[1] ?? shown[0];
        if (isOver) throw new Error(`The screen does not show ${pattern}:\n${screenOf(text)}`);
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
    },
    ended: once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals),
  };
}

function screenOf(text: string): string {
  const lines: string[] = [];
  // Every second piece is the number of rows to go up.
  for (const [index, piece] of text.split(redraw).entries()) {
    if (index % 2 === 1) lines.splice(Math.max(0, lines.length - Number(piece)));
    else lines.push(...piece.replaceAll(colour, '').replaceAll('\r', '').split('\n').slice(0, -1));
  }
  return lines.join('\n');
}
