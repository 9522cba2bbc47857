import type { JsonObject } from "@bufbuild/protobuf";
import type { Command } from "commander";
import { timestampFromDate } from "../../../clients/typescript/src/index.ts";
import { KEY } from "../columns/keys.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import { clearingOption } from "../input/empty-value.ts";
import { parseFuture } from "../input/instant.ts";
import { listed, listedOrNone } from "../input/list.ts";
import { parseMetadata } from "../input/metadata.ts";
import { parseRateLimit, type RateLimitInput } from "../input/rate-limit.ts";
import type { KeyCaller } from "./key-calls.ts";

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

/** `keys update`. */
export function addKeyUpdate(keys: Command, around: Surroundings, callsOf: KeyCaller): Command {
  return addCommand<UpdateOptions>(keys, "update <key_id>", "change the named fields of a key", around, async (run) => {
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
    const calls = await callsOf(run);
    const response = await calls.update({
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
