import { readFile } from 'node:fs/promises';

/** Linux tells times of processes in ticks of a hundredth of a second, whatever the kernel was built with (proc(5), USER_HZ). */
const tickMs = 10;

/** CPU time (ms) that these processes have used so far; `null` where there is no `/proc`. */
export async function cpuTimeMs(pids: readonly number[]): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const times = await Promise.all(pids.map(ofOne));
  return times.reduce((sum, time) => sum + time, 0);
}

async function ofOne(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; what follows it begins with the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
