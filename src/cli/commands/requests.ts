import { type Command, Option } from "commander";
import { timestampFromDate } from "../../../clients/typescript/src/index.ts";
import { EXPLANATION, REQUEST } from "../columns/requests.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { given } from "../input/given.ts";
import { parsePast } from "../input/instant.ts";
import { wholeNumber } from "../input/whole-number.ts";

interface RequestOptions {
  readonly pageToken?: string;
  readonly perPage?: number;
  readonly from?: Date;
  readonly to?: Date;
  readonly key?: string;
  readonly tokenId?: string;
  readonly verdict?: string;
  readonly reason?: string;
  readonly request?: string;
}

/** `latchkey requests`: recent requests of the caller's tenant. */
export function addRequests(program: Command, around: Surroundings): void {
  const requests = addGroup(program, "requests", "recent requests to your tenant, and why they were denied");
  const list = addCommand<RequestOptions>(requests, "list", "list requests, newest first", around, async (run) => {
    const client = await run.client("user");
    const response = await client.requests.listRequests(requestOf(run.options));
    run.list(response, response.requests, REQUEST);
    const { nextPageToken: token } = response;
    if (token !== "" && !run.options.json) run.note(`More: add --page-token ${token}`);
  });
  list
    .option("--from <instant>", "such as 2030-01-31T12:00:00Z, or 24h for 24 hours ago", (text) => parsePast(text))
    .option("--to <instant>", "in the same form (default: now)", (text) => parsePast(text))
    .option("--key <key_id>", "requests with this key")
    .option("--token-id <token_id>", "requests with this token")
    .addOption(new Option("--verdict <verdict>", "only these").choices(["admitted", "denied", "failed"]))
    .option("--reason <reason>", "requests that were denied for this, such as rate_limited")
    .option("--request <request_id>", "requests with this id")
    .option("--per-page <number>", "requests on a page, at most 100 (default: 20)", wholeNumber(1, 100))
    .option("--page-token <token>", "the page that the one before names");
  const explains = "show which check denied a request, and what to do";
  addCommand(requests, "explain <request_id>", explains, around, async (run) => {
    const [requestId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.requests.explainRequest({ requestId });
    run.item(response, response.result, EXPLANATION);
  });
}

/** `latchkey operator explain`: the same for a request of any tenant, or of none. */
export function addOperatorExplain(operator: Command, around: Surroundings): void {
  const explains = "show which check denied a request of any tenant, and what to do";
  addCommand(operator, "explain <request_id>", explains, around, async (run) => {
    const [requestId = ""] = run.args;
    const client = await run.client("operator");
    const response = await client.operator.explainAnyRequest({ requestId });
    run.item(response, response.result, EXPLANATION);
  });
}

function requestOf(options: RequestOptions) {
  const { pageToken = "", perPage = 0, from, to, key, tokenId, verdict, reason, request } = options;
  return {
    ...{ pageToken, perPage },
    ...given({ keyId: key, tokenId, verdict, reason, requestId: request }),
    ...(from !== undefined && { from: timestampFromDate(from) }),
    ...(to !== undefined && { to: timestampFromDate(to) }),
  };
}
