import type { JsonObject } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { type ApiKey, type LatchkeyClient, timestampFromDate } from "../../../clients/typescript/src/index.ts";
import { CHECK, KEY } from "../columns/keys.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { hasCredential } from "../connection.ts";
import { UsageError } from "../exit-status.ts";
import { clearingOption } from "../input/empty-value.ts";
import { parseFuture } from "../input/instant.ts";
import { listed, listedOrNone } from "../input/list.ts";
import { parseMetadata } from "../input/metadata.ts";
import { readOidc } from "../input/oidc-file.ts";
import { parseRateLimit, type RateLimitInput } from "../input/rate-limit.ts";
import { secretIn } from "../input/secret-source.ts";
import { wholeNumber } from "../input/whole-number.ts";
import { addKeyList } from "./key-list.ts";
import { type NewKeyOptions, newKeyOf, withNewKey } from "./new-key.ts";
import { createTenantKey } from "./operator.ts";
import { issue, type RequestIdOption, requestIdOf, withRequestId } from "./request-id.ts";
import { addKeyUsage } from "./usage.ts";

const GRACE_HOURS_MAX = 720;

/** `latchkey keys`: the keys of the caller's tenant. */
export function addKeys(program: Command, around: Surroundings): void {
  const keys = addGroup(program, "keys", "API keys of your tenant");
  addCreate(keys, around);
  addReads(keys, around);
  addKeyUsage(keys, around);
  addUpdate(keys, around);
  addChange(keys, around, "revoke", "make a key unusable at once, for ever", (api, keyId) =>
    api.revokeApiKey({ keyId }),
  );
  addChange(keys, around, "disable", "switch a key off until it is enabled", (api, keyId) =>
    api.disableApiKey({ keyId }),
  );
  addChange(keys, around, "enable", "switch a disabled key on", (api, keyId) => api.enableApiKey({ keyId }));
  addRotate(keys, around);
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

function addReads(keys: Command, around: Surroundings): void {
  addKeyList(keys, around);
  addCommand(keys, "get <key_id>", "show a key", around, async (run) => {
    const [keyId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.apiKeys.getApiKey({ keyId });
    run.item(response, response.result, KEY);
  });
}

interface UpdateOptions {
  readonly name?: string;
  readonly description?: string;
  readonly scope?: readonly string[];
  readonly rateLimit?: RateLimitInput;
  readonly expires?: Date | "never";
  readonly metadata?: JsonObject | "none";
  readonly externalId?: string;
  readonly allowedIp?: readonly string[] | "none";
  readonly allowedOrigin?: readonly string[] | "none";
  readonly allowBrowser?: boolean;
}

const LIMIT_MASK = ["requests_per_minute", "requests_per_hour", "burst_size"].map((cap) => `rate_limit.${cap}`);

function addUpdate(keys: Command, around: Surroundings): void {
  addCommand<UpdateOptions>(keys, "update <key_id>", "change the named fields of a key", around, async (run) => {
    const [keyId = ""] = run.args;
    const { name, description, scope, rateLimit, expires, metadata, externalId } = run.options;
    const { allowedIp, allowedOrigin, allowBrowser } = run.options;
    const mask = [
      ...(name === undefined ? [] : ["name"]),
      ...(description === undefined ? [] : ["description"]),
      ...(scope === undefined ? [] : ["permissions"]),
      // Its members, not the whole: the option has none for the limit of each user, which stays as it is.
      ...(rateLimit === undefined ? [] : LIMIT_MASK),
      ...(expires === undefined ? [] : ["expires_at"]),
      ...(metadata === undefined ? [] : ["metadata"]),
      ...(externalId === undefined ? [] : ["external_id"]),
      ...(allowedIp === undefined ? [] : ["allowed_ips"]),
      ...(allowedOrigin === undefined ? [] : ["allowed_origins"]),
      ...(allowBrowser === undefined ? [] : ["allow_browser"]),
    ];
    if (mask.length === 0) throw new UsageError("Nothing to change: name at least one option, such as --name");
    const client = await run.client("user");
    const response = await client.apiKeys.updateApiKey({
      keyId,
      updateMask: mask.join(","),
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(scope !== undefined && { permissions: [...scope] }),
      ...(rateLimit !== undefined && { rateLimit }),
      ...(expires instanceof Date && { expiresAt: timestampFromDate(expires) }),
      ...(metadata !== undefined && metadata !== "none" && { metadata }),
      ...(externalId !== undefined && { externalId }),
      ...(allowedIp !== undefined && { allowedIps: allowedIp === "none" ? [] : [...allowedIp] }),
      ...(allowedOrigin !== undefined && { allowedOrigins: allowedOrigin === "none" ? [] : [...allowedOrigin] }),
      ...(allowBrowser !== undefined && { allowBrowser }),
    });
    run.item(response, response.result, KEY);
  })
    .option("--name <text>", "new label")
    .addOption(clearingOption("--description <text>", "new description"))
    .option("--scope <scope>", "new scopes instead of all others; may be repeated, or several with commas", listed)
    .option("--rate-limit <limits>", "new limits instead of all others, such as 60/min,1000/h, or none", parseRateLimit)
    .option("--expires <instant>", "such as 2030-01-31T12:00:00Z, 90d from now, or never", (text) =>
      text === "never" ? text : parseFuture(text),
    )
    .option("--metadata <json>", 'new object to keep with the key, such as {"plan":"pro"}, or none', (text) =>
      text === "none" ? text : parseMetadata(text),
    )
    .addOption(clearingOption("--external-id <text>", "new identifier of your own"))
    .option("--allowed-ip <cidr>", "only from this address or CIDR instead of all others; none: from any", listedOrNone)
    .option("--allowed-origin <origin>", "only from web pages of this origin; none: from any", listedOrNone)
    .option("--allow-browser", "the secret key may be used in browsers")
    .option("--no-allow-browser", "it may not");
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

function addRotate(keys: Command, around: Surroundings): void {
  const description = "make the successor of a secret key; stdout has its value, once";
  type Options = RequestIdOption & { graceHours?: number };
  const command = addCommand<Options>(keys, "rotate <key_id>", description, around, async (run) => {
    const [keyId = ""] = run.args;
    const { graceHours: gracePeriodHours } = run.options;
    const client = await run.client("user");
    const response = await client.apiKeys.rotateApiKey({
      keyId,
      ...(gracePeriodHours !== undefined && { gracePeriodHours }),
      ...requestIdOf(run.options),
    });
    const { result } = response;
    if (result !== undefined) issue(run, response, result);
  });
  withRequestId(command).option(
    "--grace-hours <number>",
    "for how long the old key works, too (default: 24)",
    wholeNumber(0, GRACE_HOURS_MAX),
  );
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
