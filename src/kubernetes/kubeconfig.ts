import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** Text in hand, or a file that is read again when needed: mounted credentials rotate. */
export type Source = { readonly text: string } | { readonly file: string };

/** A command that prints an `ExecCredential` (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
}

/** Everything that is needed to talk to one cluster as one user. Holds secrets: never log it. */
export interface ClusterConfig {
  /** `https://host:port`, or `http://…` for test servers; may have a path. */
  readonly server: string;
  readonly certificateAuthority?: Source;
  /** Name expected in the server's certificate, where it is not the host of `server`. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly token?: Source;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly clientCertificate?: { readonly certificate: Source; readonly key: Source };
  readonly exec?: ExecPlugin;
  /** The context's namespace. */
  readonly namespace?: string;
}

export interface KubeconfigOptions {
  /** @default the file's `current-context` */
  readonly context?: string;
  /**
   * `inline` refuses files and exec plugins: a kubeconfig from a Secret must not make this process read its
   * own files or run commands. `files` allows both, for the kubeconfig of the person who started us.
   * @default 'inline'
   */
  readonly trust?: 'inline' | 'files';
  /** Relative file names start here. */
  readonly directory?: string;
}

/** A kubeconfig that cannot be used. The message names the field, never its content. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

// Empty strings and nulls stand for "not set", as in kubectl.
const text = z
  .string()
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value));
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

const clusterSchema = z.object({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'proxy-url': text,
});
const execSchema = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  provideClusterInfo: flag,
});
const userSchema = z.object({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: execSchema.nullish(),
  'auth-provider': z.unknown().optional(),
});
const contextSchema = z.object({ cluster: z.string(), user: text, namespace: text });

function named<T extends z.ZodType>(field: string, schema: T) {
  return z
    .array(z.looseObject({ name: z.string(), [field]: schema }))
    .nullish()
    .transform((list) => new Map((list ?? []).map((entry) => [entry['name'], entry[field] as z.output<T>])));
}

const kubeconfigSchema = z.object({
  'current-context': text,
  clusters: named('cluster', clusterSchema),
  contexts: named('context', contextSchema),
  users: named('user', userSchema.nullish()),
});

/**
 * Reads a kubeconfig. Reads no file itself: file names are kept and read when a connection is made.
 * @throws {KubeconfigError} where it is malformed, incomplete, or asks for what `trust` does not allow
 */
export function parseKubeconfig(content: string, options: KubeconfigOptions = {}): ClusterConfig {
  const kubeconfig = read(content);
  const contextName = options.context ?? kubeconfig['current-context'];
  if (contextName === undefined) throw new KubeconfigError('The kubeconfig has no current-context: name a context');
  const context = kubeconfig.contexts.get(contextName);
  if (context === undefined) throw new KubeconfigError(`The kubeconfig has no context "${contextName}"`);
  const cluster = kubeconfig.clusters.get(context.cluster);
  if (cluster === undefined) throw new KubeconfigError(`The kubeconfig has no cluster "${context.cluster}"`);
  const user = context.user === undefined ? undefined : kubeconfig.users.get(context.user);
  if (context.user !== undefined && user === undefined) {
    throw new KubeconfigError(`The kubeconfig has no user "${context.user}"`);
  }
  if (cluster['proxy-url'] !== undefined) {
    throw new KubeconfigError(`The cluster "${context.cluster}" sets proxy-url, which is not supported`);
  }
  return clean({
    server: serverOf(cluster.server, context.cluster),
    certificateAuthority: source(cluster, 'certificate-authority', options),
    tlsServerName: cluster['tls-server-name'],
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'],
    namespace: context.namespace,
    ...(user == null ? {} : credentialsOf(user, context.user ?? '', options)),
  });
}

/** Reads the kubeconfig in a file that its owner trusts: exec plugins and files are allowed. */
export function loadKubeconfig(file: string, context?: string): ClusterConfig {
  const options = { trust: 'files', directory: dirname(resolve(file)) } as const;
  return parseKubeconfig(readText(file), context === undefined ? options : { ...options, context });
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The configuration of a pod with a service account; undefined outside a cluster. */
export function inClusterConfig(env = process.env, directory = SERVICE_ACCOUNT): ClusterConfig | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (host === undefined || host === '' || !existsSync(join(directory, 'token'))) return undefined;
  const namespaceFile = join(directory, 'namespace');
  return clean({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificateAuthority: { file: join(directory, 'ca.crt') },
    insecureSkipTlsVerify: false,
    token: { file: join(directory, 'token') },
    namespace: existsSync(namespaceFile) ? readText(namespaceFile).trim() : undefined,
  });
}

function read(content: string): z.output<typeof kubeconfigSchema> {
  let document: unknown;
  try {
    // Pretty errors quote the line, which may be a token.
    document = parse(content, { prettyErrors: false, logLevel: 'error' });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    throw new KubeconfigError(`The kubeconfig is no valid YAML${typeof code === 'string' ? ` (${code})` : ''}`);
  }
  const result = kubeconfigSchema.safeParse(document);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  // The schema's own words may repeat what stands there.
  const what = document == null ? 'it is empty' : 'what stands there is not what a kubeconfig has there';
  throw new KubeconfigError(`The kubeconfig is malformed at ${issue?.path.join('.') || 'its top'}: ${what}`);
}

function serverOf(server: string | undefined, cluster: string): string {
  const url = server !== undefined && URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new KubeconfigError(`The server of the cluster "${cluster}" is no http or https URL`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new KubeconfigError(`The server of the cluster "${cluster}" holds credentials: put them into the user`);
  }
  return url.href.replace(/\/+$/, '');
}

type User = z.output<typeof userSchema>;

function credentialsOf(user: User, name: string, options: KubeconfigOptions) {
  if (user['auth-provider'] != null) {
    throw new KubeconfigError(`The user "${name}" has an auth-provider, which Kubernetes removed: use exec`);
  }
  const certificate = source(user, 'client-certificate', options);
  const key = source(user, 'client-key', options);
  if ((certificate === undefined) !== (key === undefined)) {
    throw new KubeconfigError(`The user "${name}" has a client certificate without its key, or a key alone`);
  }
  if (user.exec != null && options.trust !== 'files') {
    throw new KubeconfigError(`The user "${name}" has an exec plugin, which is not allowed here: use a token`);
  }
  const { username, password, exec } = user;
  return {
    token: user.token === undefined ? fileSource(user.tokenFile, 'tokenFile', options) : { text: user.token },
    basic: username === undefined || password === undefined ? undefined : { username, password },
    clientCertificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
    exec:
      exec == null
        ? undefined
        : {
            apiVersion: exec.apiVersion,
            command: exec.command,
            args: exec.args ?? [],
            env: Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
            provideClusterInfo: exec.provideClusterInfo,
          },
  };
}

/** `<field>-data` (base64) wins over `<field>` (a file), as in kubectl. */
function source<F extends string>(
  from: { readonly [K in F | `${F}-data`]: string | undefined },
  field: F,
  options: KubeconfigOptions,
): Source | undefined {
  const data: string | undefined = from[`${field}-data`];
  if (data === undefined) return fileSource(from[field], field, options);
  if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(data)) throw new KubeconfigError(`The field ${field}-data is no base64`);
  return { text: Buffer.from(data, 'base64').toString('utf8') };
}

function fileSource(file: string | undefined, field: string, options: KubeconfigOptions): Source | undefined {
  if (file === undefined) return undefined;
  if (options.trust !== 'files') {
    throw new KubeconfigError(`The field ${field} names a file, which is not allowed here: put its content inline`);
  }
  return { file: resolve(options.directory ?? '.', file) };
}

const OBSTACLES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what stands before its name is no folder',
};

/** @throws {KubeconfigError} naming the file */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code = 'unknown cause' } = cause as NodeJS.ErrnoException;
    const why = OBSTACLES[code];
    throw new KubeconfigError(`Cannot read "${file}": ${why === undefined ? code : `${why} (${code})`}`);
  }
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Leaves out what is not set, so that "not set" has one form. */
function clean(config: Loose<ClusterConfig> & { server: string; insecureSkipTlsVerify: boolean }): ClusterConfig {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== undefined),
  ) as unknown as ClusterConfig;
}
