import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Command, Option } from "commander";
import { KeyStatus, KeyType } from "../../../clients/typescript/src/index.ts";
import { KEY } from "../columns/keys.ts";
import { addCommand, type Surroundings } from "../command.ts";
import { given } from "../input/given.ts";
import { parseFuture, parsePast } from "../input/instant.ts";
import type { KeyCaller } from "./key-calls.ts";
import { TYPES } from "./new-key.ts";
import { type PageOptions, pageOf, withPages } from "./page.ts";

const STATUSES: Readonly<Record<string, KeyStatus>> = {
  active: KeyStatus.ACTIVE,
  expired: KeyStatus.EXPIRED,
  disabled: KeyStatus.DISABLED,
  revoked: KeyStatus.REVOKED,
};
const SORTS: Readonly<Record<string, string>> = { created: "created_at", "last-used": "last_used_at" };

interface ListOptions extends PageOptions {
  readonly status?: string;
  readonly type?: string;
  readonly externalId?: string;
  readonly namePrefix?: string;
  readonly keyPrefix?: string;
  readonly scope?: string;
  readonly sort?: string;
  readonly search?: string;
  readonly lastUsedBefore?: Date;
  readonly expiresBefore?: Date;
  readonly leaked?: boolean;
}

/** `keys list`. */
export function addKeyList(keys: Command, around: Surroundings, callsOf: KeyCaller): Command {
  const description = "list keys: all of them, or those with all that is named";
  const list = addCommand<ListOptions>(keys, "list", description, around, async (run) => {
    const {
      status = "",
      type = "",
      externalId,
      namePrefix,
      keyPrefix,
      scope,
      sort = "",
      search,
      leaked = false,
      lastUsedBefore,
      expiresBefore,
    } = run.options;
    const calls = await callsOf(run);
    const response = await calls.list({
      ...pageOf(run.options),
      status: STATUSES[status] ?? KeyStatus.UNSPECIFIED,
      keyType: TYPES[type] ?? KeyType.UNSPECIFIED,
      ...given({ externalId, namePrefix, keyPrefix, scope, search }),
      ...{ leaked, sort: SORTS[sort] ?? "" },
      ...(lastUsedBefore && { lastUsedBefore: timestampFromDate(lastUsedBefore) }),
      ...(expiresBefore && { expiresBefore: timestampFromDate(expiresBefore) }),
    });
    run.list(response, response.keys, KEY, response.pagination);
  });
  return withPages(list)
    .addOption(new Option("--status <status>", "only keys of this status").choices(Object.keys(STATUSES)))
    .addOption(new Option("--type <type>", "only keys of this kind").choices(Object.keys(TYPES)))
    .option("--external-id <text>", "only keys with this external_id")
    .option("--name-prefix <text>", "only keys whose name begins so")
    .option("--key-prefix <text>", "only keys that begin so, such as sk_0123")
    .option("--scope <scope>", "only keys with exactly this scope")
    .option(
      "--search <text>",
      "only keys with this in name, key_id, external_id or metadata, or that begin so, such as sk_0123",
    )
    .option("--last-used-before <instant>", "only keys neither used nor created since, such as 30d ago", (text) =>
      parsePast(text),
    )
    .option("--expires-before <instant>", "only keys that expire before it, such as 30d from now", (text) =>
      parseFuture(text),
    )
    .option("--leaked", "only keys that were reported as leaked")
    .addOption(new Option("--sort <order>", "newest or latest first (default: created)").choices(Object.keys(SORTS)));
}
