import { code, page, table } from '../api/reference.ts';
import { METRICS } from './metric-catalogue.ts';

/** docs/reference/metrics.md */
export function metricsPage(): string {
  const intro = `Served as text at ${code('/metrics')}. No metric has a label per cluster: what one runtime does is told by its RuntimeTrust. Words in ${code('reason')} and ${code('why')} are explained in [reasons.md](reasons.md).`;
  const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
    code(name),
    type,
    labels.map(code).join(', '),
    `${help}.`,
  ]);
  return page('Metrics', intro, table(['Metric', 'Type', 'Labels', 'Meaning'], rows));
}
