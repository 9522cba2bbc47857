import type { Command } from "commander";
import { ACCESS_TOKEN, DERIVED_TOKEN } from "../columns/tokens.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { given } from "../input/given.ts";
import { listed } from "../input/list.ts";
import { wholeNumber } from "../input/whole-number.ts";
import { type RequestIdOption, refuseRepetition, requestIdOf, withRequestId } from "./request-id.ts";

const SECRET_ADVICE = "Everyone who has the token can use its permissions until it expires or is revoked.";
/** The longest life of a token. */
export const TTL_SECONDS_MAX = 3_600;

interface DeriveOptions extends RequestIdOption {
  readonly scope?: readonly string[];
  readonly ttl?: number;
  readonly forUser?: string;
  readonly audience?: string;
  readonly jkt?: string;
}

interface ListOptions {
  readonly key?: string;
  readonly perPage?: number;
  readonly pageToken?: string;
}

/** `latchkey tokens`: access tokens, with some permissions of a key. */
export function addTokens(program: Command, around: Surroundings): void {
  const tokens = addGroup(program, "tokens", "short-lived access tokens with some permissions of a key");
  addDerive(tokens, around);
  const list = "list tokens that have not expired, newest first: of your key, or as a user of all keys";
  const listing = addCommand<ListOptions>(tokens, "list", list, around, async (run) => {
    const { key: keyId, perPage = 0, pageToken = "" } = run.options;
    const client = await run.client("any");
    const response = await client.tokens.listTokens({ ...given({ keyId }), perPage, pageToken });
    run.list(response, response.tokens, ACCESS_TOKEN);
    const { nextPageToken: token } = response;
    if (token !== "" && !run.options.json) run.note(`More: add --page-token ${token}`);
  });
  listing
    .option("--key <key_id>", "tokens of this key")
    .option("--per-page <number>", "tokens on a page, at most 100 (default: 20)", wholeNumber(1, 100))
    .option("--page-token <token>", "the page that the one before names");
  const revoke = "revoke a token; no replica accepts it any more once this ends";
  addCommand(tokens, "revoke <token_id>", revoke, around, async (run) => {
    const [tokenId = ""] = run.args;
    const client = await run.client("any");
    const response = await client.tokens.revokeToken({ tokenId });
    run.item(response, response.result, ACCESS_TOKEN);
  });
}

function addDerive(tokens: Command, around: Surroundings): void {
  const derive = "derive a token from the key of LATCHKEY_KEY; stdout has it, once";
  const deriving = addCommand<DeriveOptions>(tokens, "derive", derive, around, async (run) => {
    const { scope = [], ttl = 0, forUser: userId, audience, jkt: confirmationJkt } = run.options;
    const client = await run.client("any");
    const response = await client.tokens.deriveToken({
      ...{ scopes: [...scope], ttlSeconds: ttl },
      ...{ userId, audience, confirmationJkt },
      ...requestIdOf(run.options),
    });
    const { result } = response;
    if (result === undefined) return;
    refuseRepetition(run, result.alreadyCreated, `${result.tokenId}, which`, "derive another");
    run.secret(response, result.token, result, DERIVED_TOKEN, SECRET_ADVICE);
  });
  withRequestId(deriving)
    .option("--scope <scope>", "scope of the token, or more of them", listed)
    .option("--ttl <seconds>", "its life (default: 900)", wholeNumber(60, TTL_SECONDS_MAX))
    .option("--for-user <user_id>", "user that it acts for; the key needs users:impersonate")
    .option("--audience <text>", "service that it is for (default: this one)")
    .option("--jkt <thumbprint>", "key that its sender must prove to have, by DPoP");
}
