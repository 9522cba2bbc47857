import { readSecrets } from "./access.ts";
import { ConfigError, PORT_DEFAULT, readDrainNotice, readPort } from "./config.ts";
import type { Environment } from "./environment.ts";
import { isLoopback } from "./loopback.ts";
import { readOverload } from "./overload.ts";
import { createReader, type Reader, refuseUserInfo } from "./reader.ts";
import { LOG_LEVELS, type LogLevel, type OverloadLimits, type TrustedProxies } from "./settings.ts";
import { readTrustedProxies } from "./trusted-proxies.ts";

/** What an edge that runs as a process of its own takes from its environment, checked and frozen. */
export interface SidecarConfig {
  /** URL of the service, without a slash at its end. */
  readonly upstream: string;
  /** One of the service's EDGE_TOKEN. */
  readonly token: string;
  /** Null: it listens on no port. */
  readonly port: { readonly host: string; readonly port: number } | null;
  /** Path of a Unix socket. Null: it listens on none. */
  readonly socketPath: string | null;
  readonly trustedProxies: TrustedProxies;
  readonly overload: OverloadLimits;
  readonly logLevel: LogLevel;
  readonly drainNoticeMs: number;
}

const UPSTREAM = "EDGE_UPSTREAM";
const HOST_DEFAULT = "127.0.0.1";
/** What can connect to a port of the loopback interface. */
const TRUSTED_DEFAULT = "127.0.0.0/8,::1";
/** Variables of a service only. Ignoring them would contradict their names. */
const OF_SERVICES = ["DATABASE_URL", "REDIS_URL", "ADMIN_PORT", "WORKERS", "TLS_CERT_FILE", "TLS_KEY_FILE"];
/** Of bind(2), in bytes. */
const SOCKET_PATH_BYTES_MAX = 107;

/** Whether the environment is that of an edge. */
export function isSidecar(env: Environment): boolean {
  return Boolean(env[UPSTREAM]?.trim());
}

/** Reads the environment. Throws `ConfigError`. */
export function readSidecarConfig(env: Environment): SidecarConfig {
  const problems: string[] = [];
  const reader = createReader(env, problems);
  for (const name of OF_SERVICES)
    if (reader.text(name) !== undefined)
      reader.refuse(name, `is for the service, and an edge has none of it; unset it, or unset ${UPSTREAM}`);
  const socketPath = readSocketPath(reader);
  const port = readPort(reader);
  const config: SidecarConfig = {
    upstream: readUpstream(reader),
    token: readToken(reader),
    port:
      socketPath !== null && port === undefined
        ? null
        : { host: reader.text("HOST") ?? HOST_DEFAULT, port: port ?? PORT_DEFAULT },
    socketPath,
    trustedProxies: readTrustedProxies(reader, TRUSTED_DEFAULT),
    overload: readOverload(reader),
    logLevel: reader.oneOf("LOG_LEVEL", LOG_LEVELS) ?? "info",
    drainNoticeMs: readDrainNotice(reader, 0),
  };
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return Object.freeze(config);
}

/** Reads the file of the token again. One that cannot be used leaves the token as it was; `problems` begin with the variable. */
export function rereadToken(
  env: Environment,
  before: string,
): { readonly token: string; readonly problems: readonly string[] } {
  const problems: string[] = [];
  // Reads the files of secrets, and reports those that cannot be used.
  const reader = createReader(env, problems);
  const token = problems.length > 0 ? before : readToken(reader);
  return { token: problems.length > 0 ? before : token, problems };
}

/** Warnings about a valid configuration, a sentence each. */
export function* sidecarWarnings({ upstream, port }: SidecarConfig): Generator<string> {
  const { protocol, hostname } = new URL(upstream);
  if (protocol === "http:" && !isLoopback(hostname))
    yield `${UPSTREAM} is http on another machine: EDGE_TOKEN and the credentials of callers are sent in the clear`;
  if (port !== null && !isLoopback(port.host))
    yield "HOST is not a loopback address: other machines can ask this edge, and send credentials in the clear";
}

function readUpstream(reader: Reader): string {
  const url = reader.url(UPSTREAM, ["https:", "http:"]);
  if (reader.text(UPSTREAM) === undefined)
    reader.refuse(UPSTREAM, "is required: the URL of the service, of its ADMIN_PORT where it has one");
  refuseUserInfo(reader, UPSTREAM, url, "the token goes into EDGE_TOKEN");
  if (url !== undefined && /[?#]/.test(url)) reader.refuse(UPSTREAM, "must be without query and fragment");
  let base = url ?? "";
  while (base.endsWith("/")) base = base.slice(0, -1);
  return base;
}

function readToken(reader: Reader): string {
  if (reader.text("EDGE_TOKEN") === undefined)
    reader.refuse("EDGE_TOKEN", `is required with ${UPSTREAM}: one of the service's EDGE_TOKEN`);
  return readSecrets(reader, "EDGE_TOKEN")[0] ?? "";
}

function readSocketPath(reader: Reader): string | null {
  const path = reader.text("EDGE_SOCKET");
  if (path === undefined) return null;
  if (!path.startsWith("/") || Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX)
    reader.refuse("EDGE_SOCKET", `must be a path that begins with /, of at most ${SOCKET_PATH_BYTES_MAX} bytes`);
  return path;
}
