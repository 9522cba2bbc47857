import { type DescField, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { InvalidArgumentError, Option } from "commander";
import { clearingOption } from "../input/empty-value.ts";
import { parseFuture, parsePast } from "../input/instant.ts";
import { listed, listedOrNone } from "../input/list.ts";
import { parseMetadata } from "../input/metadata.ts";
import { parseRateLimit } from "../input/rate-limit.ts";
import { wholeNumber } from "../input/whole-number.ts";
import { type Facts, factsOf } from "./services.ts";

/** An option, and the member of the request that it sets. */
export interface MemberOption {
  readonly field: DescField;
  readonly option: Option;
}

/** A member's name in commands, by `Request.member` or for all requests, where it is not that of the API or its value is not just a text. */
export const FLAGS: Readonly<Record<string, string>> = {
  "AcceptInvitationRequest.token": "invitation-file <path>",
  "CheckOidcRequest.token": "user-token-file <path>",
  "DeriveTokenRequest.user_id": "for-user <user_id>",
  "FindKeysRequest.key": "value-file <path>",
  "ListRequestsRequest.reason": "reason <reason>",
  "ListWebhookDeliveriesRequest.type": "event <type>",
  action: "action <name>",
  actor_id: "actor <id>",
  allowed_ips: "allowed-ip <cidr>",
  allowed_origins: "allowed-origin <origin>",
  confirmation_jkt: "jkt <thumbprint>",
  event_id: "event-id <event_id>",
  events: "event <type>",
  expires_at: "expires <instant>",
  grace_period_hours: "grace-hours <number>",
  issuer: "issuer <url>",
  key_id: "key <key_id>",
  key_type: "type <type>",
  oidc: "oidc-file <path>",
  only_suspended: "suspended",
  page_token: "page-token <token>",
  permissions: "scope <scope>",
  publishable_config: "oidc-file <path>",
  rate_limit: "rate-limit <limits>",
  request_id: "request <request_id>",
  role: "role <role>",
  scope: "scope <scope>",
  scopes: "scope <scope>",
  since: "from <instant>",
  sort: "sort <order>",
  step: "step <step>",
  target_id: "target <id>",
  tenant_id: "tenant <tenant_id>",
  tenants: "tenant <tenant_id>",
  token_id: "token-id <token_id>",
  ttl_seconds: "ttl <seconds>",
  url: "endpoint <url>",
  verdict: "verdict <verdict>",
  webhook_id: "webhook <webhook_id>",
};

/** The values of texts that a command names otherwise, or of which no rule of the proto has the list. */
export const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sort: { created: "created_at", "last-used": "last_used_at" },
  step: { hour: "hour", day: "day" },
};

/** The help of members, where the proto's comment is about requests and responses, or is too long for a line. */
export const HELP: Readonly<Record<string, string>> = {
  client_request_id: "your own name for the call: made again within 24 h, it makes no second one",
  metadata: 'JSON object to keep with the key, such as {"plan":"pro"}',
  oidc: "a configuration as JSON, in place of that of a key",
  page_token: "the page that the one before names",
  policy: 'rules as JSON, such as {"max_lifetime_hours":24}; {} lifts all',
  publishable_config: "the `oidc` of a publishable key as JSON",
  sort: "newest or latest first (default: created)",
};

/** How a value is written. */
const HINTS = {
  past: ", such as 2030-01-31T12:00:00Z, or 24h for 24 hours ago",
  future: ", such as 2030-01-31T12:00:00Z, or 90d from now",
  list: "; may be repeated, or several with commas",
  limits: ", such as 60/min,1000/h,burst=10, or none",
};

const PER_PAGE_MAX = 100;
const INT32_MAX = 2_147_483_647;

/** The options of a call, in the order of its members. */
export function memberOptions({ input }: DescMethod, without: readonly string[]): readonly MemberOption[] {
  const pages = input.fields.some(({ name }) => name === "page");
  const isUpdate = hasMask(input);
  return input.fields
    .filter(({ name }) => !without.includes(name) && name !== "update_mask" && !(pages && name === "page_token"))
    .flatMap((field) => {
      const options = optionsOf(field, factsOf(`${input.name}.${field.name}`), isUpdate);
      return options.map((option) => ({ field, option }));
    });
}

/** Whether only the members that a mask names are changed. */
export function hasMask({ fields }: DescMethod["input"]): boolean {
  return fields.some(({ name }) => name === "update_mask");
}

function optionsOf(field: DescField, facts: Facts, isUpdate: boolean): Option[] {
  const flags = flagsOf(field);
  if (field.scalar === ScalarType.BOOL && field.fieldKind === "scalar") {
    const negation = isUpdate ? [new Option(flags.replace("--", "--no-"), `the opposite of ${flags}`)] : [];
    return [new Option(flags, described(field, facts)), ...negation];
  }
  const option = valued(flags, field, facts);
  return [facts.required === true ? option.makeOptionMandatory() : option];
}

function flagsOf(field: DescField): string {
  const { name, parent } = field;
  return `--${FLAGS[`${parent.name}.${name}`] ?? FLAGS[name] ?? `${name.replaceAll("_", "-")}${placeholder(field)}`}`;
}

/** The help of a member: its meaning, how it is written, and the default. */
function described(field: DescField, { help, default: value }: Facts, hint = ""): string {
  const own = HELP[field.name];
  if (own !== undefined) return withoutBackticks(own + hint);
  const ending = value === undefined ? "" : ` (default: ${value})`;
  const named = `${help}${hint}${ending}`.replace(/(?<=\b(?:with|before) )`(\w+)`/g, (text, name: string) => {
    const other = field.parent.fields.find((each) => each.name === name);
    return other === undefined ? text : (flagsOf(other).split(" ")[0] ?? text);
  });
  const words = field.enum?.values ?? [];
  return withoutBackticks(words.reduce((text, word) => text.replace(word.name, wordOf(word)), named));
}

export function withoutBackticks(text: string): string {
  return text.replaceAll("`", "");
}

function placeholder(field: DescField): string {
  if (isSecret(field)) return "-file <path>";
  if (field.scalar === ScalarType.BOOL) return "";
  if (field.scalar === ScalarType.INT32) return " <number>";
  if (field.enum !== undefined) return ` <${field.name}>`;
  if (field.message !== undefined) return field.message.name === "Timestamp" ? " <instant>" : " <json>";
  return " <text>";
}

/** A secret is never an argument: all users of a machine can read those. */
export function isSecret({ proto }: DescField): boolean {
  return proto.options?.debugRedact === true;
}

function valued(flags: string, field: DescField, facts: Facts): Option {
  const { clearable = false } = facts;
  const made = (hint = "", parser?: (text: string) => unknown, none?: string): Option => {
    const option = new Option(flags, described(field, facts, `${hint}${clearable && none ? `, or ${none}` : ""}`));
    if (parser === undefined) return option;
    return option.argParser((text: string) => (clearable && text === none ? none : parser(text)));
  };
  const choices =
    field.enum === undefined ? facts.choices : field.enum.values.filter(({ number }) => number > 0).map(wordOf);
  const words = VALUES[field.name] === undefined ? choices : Object.keys(VALUES[field.name] ?? {});
  if (words !== undefined) return made().choices(words);
  if (isSecret(field) || isFile(field))
    return new Option(flags, `file with ${described(field, { help: facts.help })}, \`-\` for stdin`);
  if (field.fieldKind === "list")
    return clearable ? made(`${HINTS.list}, or none`).argParser(listedOrNone) : made(HINTS.list).argParser(listed);
  if (field.scalar === ScalarType.INT32)
    return made(field.name === "per_page" ? `, at most ${PER_PAGE_MAX}` : "", wholeNumber(...bounds(field, facts)));
  switch (field.message?.name) {
    case undefined:
      if (clearable) return clearingOption(flags, described(field, facts));
      return flags.endsWith(" <type>") ? made("", oneType) : made();
    case "Timestamp":
      // The only instants to come are those of an expiry.
      return field.name.startsWith("expires")
        ? made(HINTS.future, (text) => parseFuture(text), "never")
        : made(HINTS.past, (text) => parsePast(text));
    case "RateLimit":
      return made(HINTS.limits, parseRateLimit);
    default:
      return made("", parseMetadata, "none");
  }
}

/** A configuration of an identity provider is named by a file. */
function isFile({ message }: DescField): boolean {
  return message?.name === "OidcConfig" || message?.name === "PublishableConfig";
}

/** Whether an option has the JSON of a message. */
export function isJson(field: DescField): boolean {
  return flagsOf(field).endsWith(" <json>");
}

/** A member of an enum or its word in commands: `active`. */
export function wordOf({ localName }: { readonly localName: string }): string {
  return localName.toLowerCase();
}

/** 0 is the default of a number that is always there, so it is not given. */
function bounds(field: DescField, { minimum = 0, maximum }: Pick<Facts, "minimum" | "maximum">): [number, number] {
  const isAbsentAtZero = field.presence === FeatureSet_FieldPresence.IMPLICIT;
  return [
    isAbsentAtZero ? Math.max(1, minimum) : minimum,
    maximum ?? (field.name === "per_page" ? PER_PAGE_MAX : INT32_MAX),
  ];
}

/** Elsewhere the same option takes several. */
function oneType(text: string): string {
  if (text.includes(",")) throw new InvalidArgumentError("It takes one type here.");
  return text;
}
