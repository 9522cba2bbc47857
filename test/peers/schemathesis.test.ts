import { afterAll, beforeAll, test } from "vitest";
import { type GithubKeyServer, newScannerKey, startGithubKeyServer } from "../harness/github.ts";
import { BEARER_SECRET } from "../harness/login-hook.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { type Callers, startCallers } from "./callers.ts";
import { createVenv, type Venv } from "./venv.ts";

const VERSION = "4.32.5";

/**
 * What every answer must pass: no 5xx, and its status, its media type, its headers and its body are those of the document. A
 * method that is not in it gets 405.
 */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
];

/**
 * Checks that do not hold, and why that is right:
 *
 * - negative_data_rejection: `null` is accepted for each member, and is the same as leaving it out, as protobuf's JSON has it.
 *   A document that says so would make every member of a generated client nullable. It finds nothing else;
 * - positive_data_acceptance: a JSON Schema cannot say all that the protos' rules say, such as that `explain` needs a `key_id`,
 *   or what a tenant's rules for its own keys allow;
 * - missing_required_header: a key's call of what only users may do is denied with 403, not 401, and in every run here the
 *   caller's own credentials stay when others are left out;
 * - ignored_auth: likewise, it replaces `Authorization` beside a secret key, which is alone what authenticates.
 */
const EXAMPLES_MAX = 25;
const SEED = 1;

let github: GithubKeyServer;
let venv: Venv;
beforeAll(async () => {
  venv = await createVenv(`schemathesis==${VERSION}`);
  github = await startGithubKeyServer([newScannerKey("scanner")]);
}, 300_000);
afterAll(async () => {
  await github?.close();
  await venv?.remove();
});

/** A service for one of the tests, which run at once: what one caller changes, the others do not see. */
async function startService(): Promise<Callers> {
  // Every path of the document is served.
  return await startCallers({ identityHookSecrets: [BEARER_SECRET], githubKeysUrl: github.url });
}

const bearer = (token: string) => `Authorization: Bearer ${token}`;

const CALLERS: readonly (readonly [caller: string, headers: (callers: Callers) => readonly string[]])[] = [
  ["a secret key", ({ key }) => [`X-API-Key: ${key}`]],
  [
    "a publishable key with its user's token",
    ({ publishableKey, userToken }) => [`X-API-Key: ${publishableKey}`, bearer(userToken)],
  ],
  ["a dashboard user", ({ token }) => [bearer(token)]],
  ["the operator", () => [bearer(OPERATOR_TOKEN)]],
  ["a login hook", () => [bearer(BEARER_SECRET)]],
];

test.concurrent.for(CALLERS)(
  "no call of %s gets a 5xx, or an answer outside of the document",
  { timeout: 900_000 },
  async ([caller, headers], { expect, onTestFinished, task }) => {
    const callers = await startService();
    onTestFinished(() => callers.close());
    const report = await venv.run(
      "schemathesis",
      [
        ...["run", `${callers.url}/openapi.json`, "--no-color", "--no-shrink", "--workers", "1"],
        ...["--phases", "examples,coverage,fuzzing", "--max-examples", String(EXAMPLES_MAX), "--seed", String(SEED)],
        ...["--generation-database", "none", "--checks", CHECKS.join(",")],
        ...headers(callers).flatMap((header) => ["--header", header]),
      ],
      { cwd: venv.dir },
    );
    const [, generated = "0"] = /(\d+) generated, \1 passed/.exec(report) ?? [];
    expect(Number(generated), report).toBeGreaterThan(1_000);
    task.meta.figures = `${generated} requests of ${caller}`;
  },
);
