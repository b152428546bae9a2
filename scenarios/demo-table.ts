import type { X509Certificate } from 'node:crypto';
import type { RuntimeTrust } from '../src/api/runtime-trust.ts';
import type { TrustDomain } from '../src/api/trust-domain.ts';
import type { Paint } from '../src/cli/screen.ts';
import { digestOf, isSignedBy, type Standing } from './standing.ts';

/** Roots by the order in which they came; a digest is nothing that a person can follow. */
type RootNames = readonly { readonly name: string; readonly certificate: X509Certificate }[];

export interface DemoView {
  readonly standing: Standing;
  readonly domain: TrustDomain | undefined;
  readonly records: readonly RuntimeTrust[];
  readonly traffic: ReadonlyMap<string, { readonly sent: number; readonly failed: number }>;
  readonly roots: RootNames;
  readonly propagationDelayMs: number;
}

interface RuntimeRow {
  readonly runtime: string;
  readonly clientRoot: string;
  readonly bundle: string;
  readonly proven: string;
  readonly sent: number;
  readonly failed: number;
}

interface GatewayRow {
  readonly bundle: string;
  readonly server: string;
  readonly serverRoot: string;
  readonly candidate: string;
  readonly nextStep: string;
}

/** What the demo shows of each runtime: what its client uses, as mounted, and what the operator has as proof. */
function runtimeRows({ standing, records, traffic, roots, propagationDelayMs }: DemoView): RuntimeRow[] {
  return [...standing.runtimes].map(([runtime, { mounted }]) => {
    const record = records.find(({ metadata }) => metadata.name === runtime);
    const { sent = 0, failed = 0 } = traffic.get(runtime) ?? {};
    return {
      runtime,
      clientRoot: signerName(mounted.leaf, roots),
      bundle: bundleText(mounted.roots, roots),
      proven: provenText(record, propagationDelayMs),
      sent,
      failed,
    };
  });
}

function gatewayRow({ standing, domain, roots }: DemoView): GatewayRow {
  const { gateway } = standing;
  const candidate = domain?.status?.candidate;
  const signer = roots.find(({ certificate }) => keyIdOf(domain, digestOf(certificate)) === candidate?.signer);
  return {
    bundle: bundleText(gateway.roots, roots),
    server: gateway.leaf === undefined ? 'none' : digestOf(gateway.leaf).slice(0, 8),
    serverRoot: signerName(gateway.leaf, roots),
    candidate:
      candidate === undefined ? 'none' : `${candidate.digest.slice(0, 8)} of ${signer?.name ?? 'a root that left'}`,
    nextStep: domain?.status?.nextStep ?? 'the operator has not said anything yet',
  };
}

const columns = ['runtime', 'cert of', 'roots in its bundle', 'how proven', 'sent', 'failed'] as const;
// Fits into 80 columns.
const widths = [9, 7, 22, 24, 6, 6] as const;

/** The table as lines for a terminal. */
export function tableLines(view: DemoView, paint: Paint): string[] {
  const cells = (texts: readonly string[]) =>
    texts
      .map((text, index) => (index < 4 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0)))
      .join(' ');
  const gateway = gatewayRow(view);
  return [
    paint('bold', cells(columns)),
    ...runtimeRows(view).map(({ runtime, clientRoot, bundle, proven, sent, failed }) => {
      const row = cells([runtime, clientRoot, bundle, proven, String(sent), '']).slice(0, -(widths[5] + 1));
      return `${row} ${paint(failed > 0 ? 'red' : 'green', String(failed).padStart(widths[5]))}`;
    }),
    '',
    `${paint('bold', 'gateway')}    roots in its bundle: ${gateway.bundle}`,
    `           server certificate: ${gateway.server} of ${gateway.serverRoot}, candidate: ${gateway.candidate}`,
    `           next: ${paint('cyan', gateway.nextStep)}`,
  ];
}

/** The same as whole sentences, for a pipe. */
export function plainLines(view: DemoView): string[] {
  const { bundle, server, serverRoot, candidate, nextStep } = gatewayRow(view);
  return [
    ...runtimeRows(view).map(
      (row) =>
        `${row.runtime}: client certificate of ${row.clientRoot}; bundle ${row.bundle}; proof: ${row.proven}; ${row.sent} sent, ${row.failed} failed`,
    ),
    `gateway: bundle ${bundle}; server certificate ${server} of ${serverRoot}; candidate ${candidate}; next: ${nextStep}`,
  ];
}

function signerName(leaf: X509Certificate | undefined, roots: RootNames): string {
  if (leaf === undefined) return 'none yet';
  return roots.find(({ certificate }) => isSignedBy(leaf, certificate))?.name ?? 'an unknown root';
}

function bundleText(digests: readonly string[], roots: RootNames): string {
  const nameOf = (digest: string) =>
    roots.find(({ certificate }) => digestOf(certificate) === digest)?.name ?? digest.slice(0, 8);
  return digests.length === 0 ? 'none yet' : digests.map(nameOf).join(', ');
}

/** Today's watcher says nothing of what it has loaded, so a delivery counts after the delay. */
function provenText(record: RuntimeTrust | undefined, propagationDelayMs: number): string {
  const status = record?.status;
  if (status === undefined) return 'not registered';
  const [wait] = status.waits ?? [];
  const delay = `${propagationDelayMs / 1_000} s`;
  if (status.proof === 'delivered') return `delivered + ${delay}`;
  if ((status.bundleCount ?? 0) > 0) return `delivered, ${delay} running`;
  return wait ?? 'nothing delivered';
}

/** The status names keys and not certificates, so that a renewed root is found too. */
function keyIdOf(domain: TrustDomain | undefined, digest: string): string | undefined {
  return domain?.status?.bundle?.find((root) => root.digest === digest)?.keyId;
}
