import type { JsonObject } from "@bufbuild/protobuf";
import { type Command, Option } from "commander";
import { KeyType, timestampFromDate } from "../../../clients/typescript/src/index.ts";
import { UsageError } from "../exit-status.ts";
import { parseFuture } from "../input/instant.ts";
import { listed } from "../input/list.ts";
import { parseMetadata } from "../input/metadata.ts";
import { readOidc } from "../input/oidc-file.ts";
import { parseRateLimit, type RateLimitInput } from "../input/rate-limit.ts";

/** The options that describe a key to make. */
export interface NewKeyOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly description?: string;
  readonly type?: string;
  readonly rateLimit?: RateLimitInput;
  readonly expires?: Date;
  readonly oidcFile?: string;
  readonly metadata?: JsonObject;
  readonly externalId?: string;
  readonly allowedIp?: readonly string[];
  readonly allowedOrigin?: readonly string[];
  readonly allowBrowser?: boolean;
}

export const TYPES: Readonly<Record<string, KeyType>> = { secret: KeyType.SECRET, publishable: KeyType.PUBLISHABLE };

export const ONCE = "This is the only time that the key's value is shown. Only its hash is stored.";

export function withNewKey(command: Command): Command {
  return command
    .requiredOption("--name <text>", "label of the key")
    .requiredOption("--scope <scope>", "scope, such as plans:read; may be repeated, or several with commas", listed)
    .option("--description <text>", "free text")
    .addOption(new Option("--type <type>", "kind of key (default: secret)").choices(Object.keys(TYPES)))
    .option("--rate-limit <limits>", "such as 60/min,1000/h,burst=10 (default: the service's)", parseRateLimit)
    .option("--expires <instant>", "such as 2030-01-31T12:00:00Z, or 90d from now (default: never)", (text) =>
      parseFuture(text),
    )
    .option("--oidc-file <path>", "JSON of a publishable key's oidc, `-` for stdin")
    .option("--metadata <json>", 'object to keep with the key, such as {"plan":"pro"}', parseMetadata)
    .option("--external-id <text>", "your own identifier for what the key belongs to")
    .option("--allowed-ip <cidr>", "only from this address or CIDR; may be repeated, or several with commas", listed)
    .option("--allowed-origin <origin>", "only from web pages of this origin; may be repeated", listed)
    .option("--allow-browser", "a secret key may be used in browsers");
}

/** The members of the request. */
export function newKeyOf({
  name,
  scope,
  description,
  type = "secret",
  rateLimit,
  expires,
  oidcFile,
  ...tags
}: NewKeyOptions) {
  const isPublishable = type === "publishable";
  if (oidcFile !== undefined && !isPublishable) throw new UsageError("--oidc-file is for --type publishable");
  return {
    name,
    permissions: [...scope],
    keyType: TYPES[type] ?? KeyType.SECRET,
    ...(description !== undefined && { description }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(expires !== undefined && { expiresAt: timestampFromDate(expires) }),
    ...(tags.metadata !== undefined && { metadata: tags.metadata }),
    ...(tags.externalId !== undefined && { externalId: tags.externalId }),
    ...(tags.allowedIp !== undefined && { allowedIps: [...tags.allowedIp] }),
    ...(tags.allowedOrigin !== undefined && { allowedOrigins: [...tags.allowedOrigin] }),
    ...(tags.allowBrowser !== undefined && { allowBrowser: tags.allowBrowser }),
    ...(oidcFile !== undefined && { publishableConfig: { oidc: readOidc(oidcFile) } }),
  };
}
