/** What one piece of work took. */
export interface Took {
  /** Of the whole process, so that what the collector and the compiler do beside the work is counted as well. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

export function took(work: () => void): Took {
  const beganMs = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1_000, wallMs: performance.now() - beganMs };
}

/** Several runs of one piece of work. What else the machine does shows in wall-clock times, and hardly in CPU times. */
export interface Runs {
  readonly medianCpuMs: number;
  readonly worstCpuMs: number;
  readonly medianWallMs: number;
  readonly runs: number;
}

export function runsOf(times: readonly Took[]): Runs {
  const cpu = sorted(times.map(({ cpuMs }) => cpuMs));
  return {
    medianCpuMs: middle(cpu),
    worstCpuMs: cpu.at(-1) ?? 0,
    medianWallMs: middle(sorted(times.map(({ wallMs }) => wallMs))),
    runs: times.length,
  };
}

/**
 * Many runs of something short. The clock of CPU time is too coarse for one of them, so each time is the mean of a batch; the
 * wall-clock time is the median of single runs.
 */
export function shortRuns(runs: number, batches: number, work: (run: number) => void): Runs {
  const perBatch = Math.max(1, Math.ceil(runs / batches));
  const single: number[] = [];
  const cpu: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const { cpuMs } = took(() => {
      for (let run = 0; run < perBatch; run += 1) {
        const beganMs = performance.now();
        work(batch * perBatch + run);
        single.push(performance.now() - beganMs);
      }
    });
    cpu.push(cpuMs / perBatch);
  }
  const ordered = sorted(cpu);
  return {
    medianCpuMs: middle(ordered),
    worstCpuMs: ordered.at(-1) ?? 0,
    medianWallMs: middle(sorted(single)),
    runs: single.length,
  };
}

function sorted(values: readonly number[]): readonly number[] {
  return [...values].sort((a, b) => a - b);
}

function middle(ordered: readonly number[]): number {
  return ordered[ordered.length >> 1] ?? 0;
}
