import type { Command } from "commander";
import { timestampFromDate } from "../../../clients/typescript/src/index.ts";
import { EVENT, LOST_EVENT, TENANT_EVENT } from "../columns/audit.ts";
import { addCommand, addGroup, type Invocation, type Surroundings } from "../command.ts";
import { given } from "../input/given.ts";
import { parsePast } from "../input/instant.ts";
import { wholeNumber } from "../input/whole-number.ts";

interface EventOptions {
  readonly pageToken?: string;
  readonly perPage?: number;
  readonly from?: Date;
  readonly to?: Date;
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly request?: string;
}

/** `latchkey audit`: who did what to the caller's tenant. */
export function addAudit(program: Command, around: Surroundings): void {
  const audit = addGroup(program, "audit", "who did what to your tenant, and when");
  const list = addCommand<EventOptions>(audit, "list", "list events, newest first", around, async (run) => {
    const client = await run.client("user");
    const response = await client.audit.listAuditEvents(requestOf(run.options));
    run.list(response, response.events, EVENT);
    noteNextPage(run, response.nextPageToken);
  });
  withEvents(list);
}

/** `latchkey operator audit`: the events of one tenant, or of all. */
export function addOperatorAudit(operator: Command, around: Surroundings): void {
  const audit = addGroup(operator, "audit", "who did what, in all tenants");
  const list = addCommand<EventOptions & { tenant?: string }>(audit, "list", "list events", around, async (run) => {
    const client = await run.client("operator");
    const { tenant: tenantId } = run.options;
    const response = await client.operator.listTenantsEvents({ ...requestOf(run.options), ...given({ tenantId }) });
    run.list(response, response.events, TENANT_EVENT);
    noteNextPage(run, response.nextPageToken);
  });
  withEvents(list).option("--tenant <tenant_id>", "only events of this tenant");
}

interface LostOptions {
  readonly pageToken?: string;
  readonly perPage?: number;
  readonly from?: Date;
}

/** `latchkey operator lost`: what PostgreSQL lost in a failover and nothing can make again. */
export function addLost(operator: Command, around: Surroundings): void {
  const description =
    "list changes that a failover of PostgreSQL lost and that Latchkey cannot repeat, such as new keys";
  addCommand<LostOptions>(operator, "lost", description, around, async (run) => {
    const client = await run.client("operator");
    const response = await client.operator.listTenantsEvents(requestOf({ ...run.options, action: "change.lost" }));
    run.list(response, response.events, LOST_EVENT);
    noteNextPage(run, response.nextPageToken);
  })
    .option("--from <instant>", "events that were listed at or after an instant, or 24h ago: 24h", (text) =>
      parsePast(text),
    )
    .option("--per-page <number>", "events on a page, at most 100 (default: 20)", wholeNumber(1, 100))
    .option("--page-token <token>", "the page that the one before names");
}

function withEvents(command: Command): Command {
  return command
    .option("--from <instant>", "events at or after an instant such as 2030-01-31T12:00:00Z, or 24h ago: 24h", (text) =>
      parsePast(text),
    )
    .option("--to <instant>", "events before an instant", (text) => parsePast(text))
    .option("--actor <id>", "events of this user or key, or of operator")
    .option("--action <name>", "events of this action, such as api_key.revoked")
    .option("--target <id>", "events about this key, organization, invitation, user or tenant")
    .option("--request <request_id>", "events of this request")
    .option("--per-page <number>", "events on a page, at most 100 (default: 20)", wholeNumber(1, 100))
    .option("--page-token <token>", "the page that the one before names");
}

function requestOf(options: EventOptions) {
  const { pageToken = "", perPage = 0, from, to, actor, action, target, request } = options;
  return {
    ...{ pageToken, perPage },
    ...given({ actorId: actor, action, targetId: target, requestId: request }),
    ...(from !== undefined && { from: timestampFromDate(from) }),
    ...(to !== undefined && { to: timestampFromDate(to) }),
  };
}

/** With `--json` the response has it. */
function noteNextPage({ note, options }: Invocation<EventOptions>, token: string): void {
  if (token !== "" && !options.json) note(`More: add --page-token ${token}`);
}
