import { readFileSync } from "node:fs";
import { codeOf } from "../domain/vocabulary/error-code.ts";
import type { Environment } from "./environment.ts";

/** For each variable that is a secret, the one that names a file with it instead. */
export const SECRET_FILES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DATABASE_URL: "DATABASE_URL_FILE",
    PGPASSWORD: "PGPASSWORD_FILE",
    REDIS_URL: "REDIS_URL_FILE",
    REDIS_SENTINEL_PASSWORD: "REDIS_SENTINEL_PASSWORD_FILE",
    OPERATOR_TOKEN: "OPERATOR_TOKEN_FILE",
    EDGE_TOKEN: "EDGE_TOKEN_FILE",
    IDENTITY_HOOK_SECRET: "IDENTITY_HOOK_SECRET_FILE",
    TOKEN_SECRET: "TOKEN_SECRET_FILE",
    OPENAI_API_KEY: "OPENAI_API_KEY_FILE",
    OTEL_EXPORTER_OTLP_HEADERS: "OTEL_EXPORTER_OTLP_HEADERS_FILE",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "OTEL_EXPORTER_OTLP_METRICS_HEADERS_FILE",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE",
  }),
);

/**
 * Reads the files of secrets. Returns the secrets by the names of the variables that would have them, without the line end
 * that editors append. `refuse` gets a problem of the variable that names the file.
 */
export function readSecretFiles(
  env: Environment,
  refuse: (name: string, problem: string) => void,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [name, fileName] of SECRET_FILES) {
    const path = env[fileName]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) {
      refuse(fileName, `must not be set together with ${name}; keep one of the two`);
      continue;
    }
    try {
      const secret = readFileSync(path, "utf8").replace(/\r?\n$/, "");
      if (secret.trim() === "") refuse(fileName, `names a file that is empty${shown(path)}`);
      else secrets.set(name, secret);
    } catch (err) {
      refuse(fileName, `names a file that cannot be read (${codeOf(err) ?? "unknown error"})${shown(path)}`);
    }
  }
  return secrets;
}

/** Only a text that is a path for certain: by mistake, the secret itself may be there. */
function shown(path: string): string {
  return /^(?:\/[\w.@-]+)+$/.test(path) ? `: ${path}` : "";
}
