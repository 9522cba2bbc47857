import type { Environment } from "./environment.ts";
import { isLoopback } from "./loopback.ts";
import { readSecretFiles, SECRET_FILES } from "./secret-files.ts";

/** Reads variables one by one and collects problems. Undefined: the variable is not set, or wrong. */
export interface Reader {
  /** Without white space around it; an empty variable counts as not set. A secret may come from a file. */
  text(name: string): string | undefined;
  /** A secret as its file has it. Undefined: no file was named. */
  fromFile(name: string): string | undefined;
  integer(name: string, min: number, max: number): number | undefined;
  /** A number from 0 to 1. */
  share(name: string): number | undefined;
  /** As it is written. `protocols` end in a colon: `https:`. */
  /** `value`: one of several that the variable lists. Default: the whole variable. */
  url(name: string, protocols: readonly string[], value?: string): string | undefined;
  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined;
  /** A comma-separated list of `host:port`, in lower case; empty where it is not set. */
  hosts(name: string): readonly string[];
  /** Adds a problem, a phrase that continues the variable's name: "must be ...". */
  refuse(name: string, problem: string): undefined;
}

export const NAMES_A_HOST = "must name a host, and no port above 65535";
const OF_A_SOCKET = "; for a socket write localhost: postgres://user:password@localhost/database?host=/folder";
export const ESCAPES = "/ ? # @ % in a user name or password are written %2F %3F %23 %40 %25";
export const IS_ENCODED = `must have its user name and password percent-encoded; ${ESCAPES}`;

/** Adds a line to `problems` for each wrong variable. A secret from a file is called as the variable that names the file. */
export function createReader(env: Environment, problems: string[]): Reader {
  const secrets = readSecretFiles(env, (name, problem) => void problems.push(`${name} ${problem}`));
  const text = (name: string): string | undefined => (secrets.get(name) ?? env[name])?.trim() || undefined;
  const refuse = (name: string, problem: string): undefined => {
    problems.push(`${(secrets.has(name) && SECRET_FILES.get(name)) || name} ${problem}`);
    return undefined;
  };
  return {
    text,
    fromFile: (name) => secrets.get(name),
    refuse,
    integer(name, min, max) {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max ? number : refuse(name, `must be an integer from ${min} to ${max}`);
    },
    share(name) {
      const value = text(name);
      if (value === undefined) return undefined;
      const share = /^(?:\d+|\d*\.\d+)$/.test(value) ? Number(value) : Number.NaN;
      return share <= 1 ? share : refuse(name, "must be a number from 0 to 1, such as 0.1");
    },
    url(name, protocols, value = text(name)) {
      if (value === undefined) return undefined;
      const schemes = protocols.map((protocol) => `${protocol}//`);
      // Without the slashes the rest would be a path, and errors would show it with the password.
      if (!schemes.some((scheme) => value.toLowerCase().startsWith(scheme)))
        return refuse(name, `must be a URL beginning with ${schemes.join(" or ")}`);
      if (URL.canParse(value)) return value;
      return refuse(name, `${NAMES_A_HOST}${/[?&]host=/.test(value) ? OF_A_SOCKET : ""}; ${ESCAPES}`);
    },
    oneOf(name, allowed) {
      const value = text(name);
      if (value === undefined) return undefined;
      return allowed.find((word) => word === value) ?? refuse(name, `must be one of ${allowed.join(", ")}`);
    },
    hosts(name) {
      const hosts = (text(name) ?? "")
        .split(",")
        .map((host) => host.trim().toLowerCase())
        .filter((host) => host !== "");
      for (const host of hosts) {
        const [, port] = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\]):(\d{1,5})$/.exec(host) ?? [];
        if (!(Number(port) <= 65_535)) {
          refuse(name, "must be a comma-separated list of host:port, such as localhost:9000");
          break;
        }
      }
      return hosts;
    },
  };
}

/** Undefined: it cannot be decoded. Checked here, because a driver's error does not name the variable. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Refuses a URL with a user name or a password: they would not be sent, and might be logged. */
export function refuseUserInfo(reader: Reader, name: string, url: string | undefined, instead: string): void {
  if (url === undefined) return;
  const { username, password } = new URL(url);
  if (username + password !== "") reader.refuse(name, `must be without user name and password; ${instead}`);
}

/** Whether a text is a URL that clients may be sent to: https, or http on this machine, without user name and password. */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username + url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}
