import packageJson from "../../package.json" with { type: "json" };
import { readCertificate, validityProblem } from "../config/certificate.ts";
import { type Config, ConfigError, readConfig } from "../config/config.ts";
import type { Environment } from "../config/environment.ts";
import { openFilesWarnings } from "../config/open-files.ts";
import { knownVariables, unknownVariables } from "../config/unknown-variables.ts";
import { configWarnings } from "../config/warnings.ts";
import type { Finding, Findings } from "./finding.ts";
import { checkIdentityProvider } from "./identity-provider.ts";
import { checkRedis } from "./redis.ts";
import { checkStorage, type Role } from "./storage.ts";

/** A certificate that ends within this time should have been renewed. */
const RENEWAL_MS = 7 * 86_400_000;

/**
 * Finds the problems that the service would have if it started with this environment, one after the other. It changes nothing
 * and calls no model, so it may run beside the service at any time.
 */
export async function* checkDeployment(env: Environment, role: Role, now = new Date()): Findings {
  yield { level: "ok", subject: "setup", text: setupOf(env) };
  let config: Config;
  try {
    config = readConfig(env);
  } catch (err) {
    if (!(err instanceof ConfigError)) throw err;
    for (const text of err.problems) yield { level: "problem", subject: "configuration", text };
    return;
  }
  yield { level: "ok", subject: "configuration", text: "it can be read" };
  for (const text of [...unknownVariables(env), ...configWarnings(config), ...openFilesWarnings()]) {
    yield { level: "warning", subject: "configuration", text };
  }
  yield* checkStorage(config, role);
  if (config.redis !== null) yield* checkRedis(config.redis);
  yield* checkIdentityProvider(config);
  yield* checkCertificate(config, now);
  if (config.assistant !== null) {
    const { model, baseUrl } = config.assistant;
    yield {
      level: "ok",
      subject: "model",
      text: `${model} at ${new URL(baseUrl).host} is configured; it is not called`,
    };
  }
}

/** The part that a bug report needs first. The names of variables, since values are secrets or a deployment's own. */
function setupOf(env: Environment): string {
  const { version, platform, arch } = process;
  const variables = knownVariables(env).join(", ") || "no variable";
  return `Latchkey ${packageJson.version}, Node.js ${version}, ${platform} ${arch}, with ${variables}`;
}

function* checkCertificate({ tls }: Config, now: Date): Generator<Finding> {
  if (tls === null) return;
  const certificate = readCertificate(tls);
  const problem = validityProblem(certificate, now);
  const subject = "certificate";
  if (problem !== undefined) yield { level: "problem", subject, text: `TLS_CERT_FILE ${problem}` };
  else {
    const { validTo } = certificate;
    const isDue = validTo.getTime() - now.getTime() < RENEWAL_MS;
    yield {
      level: isDue ? "warning" : "ok",
      subject,
      text: `${certificate.subject} is valid until ${validTo.toISOString()}`,
    };
  }
}
