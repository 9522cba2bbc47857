import type { Command } from "commander";
import type { ApiKey, LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import { CHECK, KEY } from "../columns/keys.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { hasCredential } from "../connection.ts";
import { UsageError } from "../exit-status.ts";
import { listed } from "../input/list.ts";
import { readOidc } from "../input/oidc-file.ts";
import { secretIn } from "../input/secret-source.ts";
import { asUser } from "./key-calls.ts";
import { addKeyCommands } from "./key-commands.ts";
import { type NewKeyOptions, newKeyOf, withNewKey } from "./new-key.ts";
import { createTenantKey } from "./operator.ts";
import { issue, type RequestIdOption, requestIdOf, withRequestId } from "./request-id.ts";

/** `latchkey keys`: the keys of the caller's tenant. */
export function addKeys(program: Command, around: Surroundings): void {
  const keys = addGroup(program, "keys", "API keys of your tenant");
  addCreate(keys, around);
  addKeyCommands(keys, around, asUser);
  addChange(keys, around, "revoke", "make a key unusable at once, for ever", (api, keyId) =>
    api.revokeApiKey({ keyId }),
  );
  addChange(keys, around, "disable", "switch a key off until it is enabled", (api, keyId) =>
    api.disableApiKey({ keyId }),
  );
  addChange(keys, around, "enable", "switch a disabled key on", (api, keyId) => api.enableApiKey({ keyId }));
  addExplanations(keys, around);
}

function addCreate(keys: Command, around: Surroundings): void {
  const description = "make a key; stdout has its value, once";
  type Options = NewKeyOptions & RequestIdOption & { tenant?: string };
  const command = addCommand<Options>(keys, "create", description, around, async (run) => {
    const { options, env } = run;
    if (options.tenant !== undefined) return createTenantKey(run, options.tenant);
    if (!hasCredential("token", env, options) && hasCredential("operatorToken", env, options)) {
      throw new UsageError("The operator makes keys of any tenant: name it with --tenant");
    }
    const client = await run.client("user");
    const response = await client.apiKeys.createApiKey({ ...newKeyOf(options), ...requestIdOf(options) });
    const { result, warning } = response;
    if (warning !== undefined) run.note(`Warning: ${warning}`);
    if (result !== undefined) issue(run, response, result);
  });
  withRequestId(withNewKey(command)).option(
    "--tenant <tenant_id>",
    "as the operator: make a key of this tenant, for example the first",
  );
}

/** A command that changes a key's state and prints the key. */
function addChange(
  keys: Command,
  around: Surroundings,
  name: string,
  description: string,
  change: (api: LatchkeyClient["apiKeys"], keyId: string) => Promise<{ result?: ApiKey | undefined }>,
): void {
  addCommand(keys, `${name} <key_id>`, description, around, async (run) => {
    const [keyId = ""] = run.args;
    const client = await run.client("user");
    const response = await change(client.apiKeys, keyId);
    run.item(response, response.result, KEY);
  });
}

function addExplanations(keys: Command, around: Surroundings): void {
  const explanation = "show how a request with a key would be decided now, and why; spends nothing";
  addCommand<{ scope?: readonly string[] }>(keys, "explain <key_id>", explanation, around, async (run) => {
    const [keyId = ""] = run.args;
    const client = await run.client("user");
    const { scope } = run.options;
    const response = await client.auth.verify({
      explain: true,
      keyId,
      ...(scope !== undefined && { scopes: [...scope] }),
    });
    const { allowed = false, denialReason = "", steps = [] } = response.explanation ?? {};
    run.list(response, steps, CHECK);
    run.note(allowed ? "The key would be admitted." : `The key would be denied: ${denialReason}`);
  }).option("--scope <scope>", "scope that the request needs; may be repeated, or several with commas", listed);
  const checks = "check a publishable key's identity provider, and a user's token by it; spends nothing";
  addCommand<{ oidcFile?: string; userTokenFile?: string }>(
    keys,
    "check-oidc [key_id]",
    checks,
    around,
    async (run) => {
      const [keyId] = run.args;
      const { oidcFile, userTokenFile } = run.options;
      const client = await run.client("user");
      const response = await client.apiKeys.checkOidc({
        ...(keyId !== undefined && { keyId }),
        ...(oidcFile !== undefined && { oidc: readOidc(oidcFile) }),
        ...(userTokenFile !== undefined && { token: secretIn(userTokenFile, "--user-token-file") }),
      });
      run.list(response, response.steps, CHECK);
    },
  )
    .option("--oidc-file <path>", "check this JSON of an oidc instead of a key's, `-` for stdin")
    .option("--user-token-file <path>", "file with a user's token to check, `-` for stdin");
}
