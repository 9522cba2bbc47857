import { readFileSync } from "node:fs";
import type { Environment } from "../../config/environment.ts";
import { UsageError } from "../exit-status.ts";

/** Far above every key and token. */
const SECRET_BYTES_MAX = 65_536;
const STDIN = "-";

/** Where one credential may come from, the first that is there. */
export interface SecretSource {
  /** File given as an option, `-` for stdin. */
  readonly file: string | undefined;
  /** Name of that option, for errors: they never repeat the file, which may be the secret itself, given by mistake. */
  readonly option: string;
  /** Variables that hold it. The same names with `_FILE` name a file that does. */
  readonly variables: readonly string[];
}

/** A secret, and what has it: the option or the variable, for messages. */
export interface FoundSecret {
  readonly secret: string;
  readonly from: string;
}

/**
 * Reads a secret. Secrets are never arguments: all users of a machine can read those, and shells keep them in a history.
 * Throws `UsageError` for a file that cannot be read or is empty.
 */
export function readSecret(env: Environment, { file, option, variables }: SecretSource): FoundSecret | undefined {
  if (file !== undefined) return found(file, file === STDIN ? "stdin" : option);
  for (const name of variables) {
    const value = env[name]?.trim();
    if (value) return { secret: value, from: name };
    const path = env[`${name}_FILE`]?.trim();
    if (path) return found(path, `${name}_FILE`);
  }
  return undefined;
}

function found(path: string, from: string): FoundSecret {
  return { secret: secretIn(path, from), from };
}

/** The whole text of a file, or of stdin for `-`, without white space around it. `name` is for the error. */
export function secretIn(path: string, name: string): string {
  const text = readText(path, name).trim();
  if (text === "") throw new UsageError(`${name} is empty`);
  if (Buffer.byteLength(text) > SECRET_BYTES_MAX) throw new UsageError(`${name} is too long for a secret`);
  return text;
}

/** The text of a file, or of stdin for `-`. */
export function readText(path: string, name: string): string {
  try {
    return readFileSync(path === STDIN ? 0 : path, "utf8");
  } catch (err) {
    const code = err instanceof Error && "code" in err ? ` (${String(err.code)})` : "";
    throw new UsageError(`${name} cannot be read${code}`);
  }
}
