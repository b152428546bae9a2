import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { z } from 'zod';
import { type ClusterConfig, type ExecPlugin, KubeconfigError, readText, type Source } from './kubeconfig.ts';
import { onAbort } from './on-abort.ts';

/** What one request or connection presents. */
export interface Credentials {
  /** The whole `Authorization` header. */
  readonly authorization?: string;
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
}

export interface CredentialReader {
  /** The credentials to use now; the same object as long as nothing has changed. */
  current(signal: AbortSignal): Credentials | Promise<Credentials>;
  /** The server has refused them (401): read files and run plugins again. */
  invalidate(): void;
}

/** Kubelet refreshes projected tokens well before they run out; a minute of delay is safe and spares reads. */
const FILE_LIFETIME_MS = 60_000;
const EXEC_TIMEOUT_MS = 60_000;
/** A plugin's credential is renewed this long before it runs out. */
const EXEC_MARGIN_MS = 30_000;

export function credentialReader(config: ClusterConfig, nowMs: () => number = Date.now): CredentialReader {
  let held: { readonly credentials: Credentials; readonly untilMs: number } | undefined;
  let running: Promise<Credentials> | undefined;

  const keep = (credentials: Credentials, untilMs: number): Credentials => {
    // The same content must stay the same object: a new one costs new connections.
    const same = held !== undefined && JSON.stringify(held.credentials) === JSON.stringify(credentials);
    held = { credentials: same && held !== undefined ? held.credentials : credentials, untilMs };
    return held.credentials;
  };

  return {
    current(signal) {
      if (held !== undefined && nowMs() < held.untilMs) return held.credentials;
      const { exec } = config;
      if (exec === undefined) {
        const lifetimeMs = hasFiles(config) ? FILE_LIFETIME_MS : Number.POSITIVE_INFINITY;
        return keep(fromConfig(config), nowMs() + lifetimeMs);
      }
      // One run serves all callers, so no single caller's abort may end it: it has a time limit of its own.
      running ??= runExec(exec, config)
        .then(({ expiresAtMs, ...credentials }) => keep(credentials, expiresAtMs - EXEC_MARGIN_MS))
        .finally(() => {
          running = undefined;
        });
      return unlessAborted(running, signal);
    },
    invalidate() {
      if (held !== undefined) held = { credentials: held.credentials, untilMs: Number.NEGATIVE_INFINITY };
    },
  };
}

function hasFiles(config: ClusterConfig): boolean {
  const { token, clientCertificate } = config;
  return [token, clientCertificate?.certificate, clientCertificate?.key].some((s) => s !== undefined && 'file' in s);
}

function fromConfig(config: ClusterConfig): Credentials {
  const { token, basic, clientCertificate } = config;
  const authorization =
    token !== undefined
      ? `Bearer ${readSource(token).trim()}`
      : basic !== undefined
        ? `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`
        : undefined;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(clientCertificate === undefined
      ? {}
      : {
          clientCertificate: {
            certificate: readSource(clientCertificate.certificate),
            key: readSource(clientCertificate.key),
          },
        }),
  };
}

export function readSource(source: Source): string {
  return 'text' in source ? source.text : readText(source.file);
}

const execCredentialSchema = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

async function runExec(plugin: ExecPlugin, config: ClusterConfig) {
  const output = await runCommand(plugin, execInfo(plugin, config));
  const parsed = execCredentialSchema.safeParse(parseJson(output));
  if (!parsed.success) throw pluginError(plugin, 'printed no ExecCredential with a status');
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status;
  const pair =
    clientCertificateData !== undefined && clientKeyData !== undefined
      ? { certificate: clientCertificateData, key: clientKeyData }
      : undefined;
  if (token === undefined && pair === undefined) throw pluginError(plugin, 'gave neither a token nor a certificate');
  const expiresAtMs = expirationTimestamp === undefined ? Number.NaN : Date.parse(expirationTimestamp);
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(pair === undefined ? {} : { clientCertificate: pair }),
    // Without a date the credential lasts until the server refuses it.
    expiresAtMs: Number.isNaN(expiresAtMs) ? Number.POSITIVE_INFINITY : expiresAtMs,
  };
}

function execInfo(plugin: ExecPlugin, config: ClusterConfig): string {
  const ca = config.certificateAuthority;
  const cluster = {
    server: config.server,
    'tls-server-name': config.tlsServerName,
    'insecure-skip-tls-verify': config.insecureSkipTlsVerify,
    'certificate-authority-data': ca === undefined ? undefined : Buffer.from(readSource(ca)).toString('base64'),
  };
  const spec = { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  return JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
}

function runCommand(plugin: ExecPlugin, info: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      plugin.command,
      [...plugin.args],
      {
        env: { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
        timeout: EXEC_TIMEOUT_MS,
        maxBuffer: 1 << 20,
      },
      (error, stdout) => {
        if (error === null) resolve(stdout);
        // Neither its output nor its arguments are repeated: both may hold secrets.
        else reject(pluginError(plugin, `failed (${String(error.code ?? error.signal ?? 'unknown cause')})`));
      },
    ).stdin?.end();
  });
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, () => reject(new KubeconfigError('The wait for the exec plugin was aborted')));
    promise.then(resolve, reject).finally(unlisten);
  });
}

function pluginError(plugin: ExecPlugin, what: string): KubeconfigError {
  return new KubeconfigError(`The exec plugin "${basename(plugin.command)}" ${what}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
