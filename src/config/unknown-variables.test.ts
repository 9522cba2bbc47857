import { expect, test } from "vitest";
import { unknownVariables } from "./unknown-variables.ts";

test.each([
  ["REDIS_URI", "REDIS_URL"],
  ["TLS_CERT", "TLS_CERT_FILE"],
  ["TLS_KEY", "TLS_KEY_FILE"],
  ["OIDC_AUDIENCES", "OIDC_AUDIENCE"],
  ["DEFAULT_REQUEST_PER_MINUTE", "DEFAULT_REQUESTS_PER_MINUTE"],
  ["OPENAI_MODELS", "OPENAI_MODEL"],
  ["DATADIR", "DATA_DIR"],
  ["redis_url", "REDIS_URL"],
  ["LATCHKEY_DATABASE_URL", "DATABASE_URL"],
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
])("%s is reported as not read, with the likely name and without its value", (name, meant) => {
  expect(unknownVariables({ [name]: "hunter2" })).toEqual([`${name} is set but not read; is ${meant} meant?`]);
  expect(unknownVariables({ [name]: " " })).toEqual([]);
});

test.each([
  ["what is read", ["PORT", "HOST", "DATABASE_URL", "DATA_DIR", "REDIS_URL", "OPENAI_API_KEY", "TLS_KEY_FILE"]],
  ["what every machine has", ["HOME", "PATH", "PWD", "USER", "LANG", "TERM", "NODE_ENV", "NODE_OPTIONS", "HOSTNAME"]],
  ["other programs' keys", ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_BASE", "POSTGRES_PASSWORD", "PGHOST"]],
  ["what OpenSSL and Node read", ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"]],
  ["what clients have", ["LATCHKEY_URL", "LATCHKEY_TOKEN", "LATCHKEY_KEY", "LATCHKEY_PUBLISHABLE_KEY"]],
  [
    "what Kubernetes sets",
    ["REDIS_SERVICE_HOST", "REDIS_SERVICE_PORT_CLIENT", "REDIS_PORT", "REDIS_PORT_6379_TCP_ADDR", "LATCHKEY_PORT"],
  ],
])("nothing is said of %s", (_what, names) => {
  expect(unknownVariables(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});
