import { type Command, Option } from "commander";
import {
  type CreateWebhookResponse,
  type RotateWebhookSecretResponse,
  timestampFromDate,
  WebhookDeliveryStatus,
  WebhookStatus,
} from "../../../clients/typescript/src/index.ts";
import { DELIVERY, TEST, WEBHOOK } from "../columns/webhooks.ts";
import { addCommand, addGroup, type Invocation, type Surroundings } from "../command.ts";
import { EXIT_STATUS, UsageError } from "../exit-status.ts";
import { clearingOption } from "../input/empty-value.ts";
import { given } from "../input/given.ts";
import { parsePast } from "../input/instant.ts";
import { listed } from "../input/list.ts";
import { wholeNumber } from "../input/whole-number.ts";
import { type RequestIdOption, refuseRepetition, requestIdOf, withRequestId } from "./request-id.ts";
import { addListen } from "./webhook-listen.ts";

/** `latchkey webhooks`: a tenant's endpoints for events. */
export function addWebhooks(program: Command, around: Surroundings): void {
  const webhooks = addGroup(program, "webhooks", "endpoints that the events of your tenant are sent to");
  addEndpoints(webhooks, around);
  addChanges(webhooks, around);
  addDeliveries(webhooks, around);
  addRedeliver(webhooks, around);
  addListen(webhooks, around);
}

const SECRET_ADVICE = "Keep the secret: it verifies what is sent. This is the only time that it is shown.";

interface EndpointOptions extends RequestIdOption {
  readonly event?: readonly string[];
  readonly description?: string;
}

function addEndpoints(webhooks: Command, around: Surroundings): void {
  const create = "add an endpoint; stdout has its secret, once";
  const creating = addCommand<EndpointOptions>(webhooks, "create <endpoint>", create, around, async (run) => {
    const [url = ""] = run.args;
    const { event = ["*"], description = "" } = run.options;
    const client = await run.client("user");
    const response = await client.webhooks.createWebhook({
      ...{ url, events: [...event], description },
      ...requestIdOf(run.options),
    });
    handOver(run, response);
  });
  withRequestId(creating)
    .option("--event <type>", "type to send, such as api_key.revoked, or more of them (default: all)", listed)
    .option("--description <text>", "description");
  addCommand(webhooks, "list", "list your webhooks, the oldest first", around, async (run) => {
    const client = await run.client("user");
    const response = await client.webhooks.listWebhooks({});
    run.list(response, response.webhooks, WEBHOOK);
  });
  addCommand(webhooks, "get <webhook_id>", "show a webhook", around, async (run) => {
    const [webhookId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.webhooks.getWebhook({ webhookId });
    run.item(response, response.result, WEBHOOK);
  });
}

/** Prints the secret of a webhook. */
function handOver(run: Invocation<unknown>, response: CreateWebhookResponse | RotateWebhookSecretResponse): void {
  const { result, secret, alreadyCreated } = response;
  if (result === undefined) return;
  refuseRepetition(run, alreadyCreated, `the secret of ${result.webhookId}, which`, "rotate it");
  run.secret(response, secret, result, WEBHOOK, SECRET_ADVICE);
}

interface UpdateOptions extends Omit<EndpointOptions, "clientRequestId"> {
  readonly endpoint?: string;
  readonly status?: "enabled" | "disabled";
}

const STATUSES = { enabled: WebhookStatus.ENABLED, disabled: WebhookStatus.DISABLED };

function addChanges(webhooks: Command, around: Surroundings): void {
  const update = "change, disable or enable a webhook";
  const updating = addCommand<UpdateOptions>(webhooks, "update <webhook_id>", update, around, async (run) => {
    const [webhookId = ""] = run.args;
    const { endpoint, event, description, status } = run.options;
    const given = { url: endpoint, events: event, description, status };
    const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name));
    if (names.length === 0)
      throw new UsageError("nothing to change: give --endpoint, --event, --description or --status");
    const client = await run.client("user");
    const response = await client.webhooks.updateWebhook({
      webhookId,
      updateMask: names.join(","),
      ...(endpoint !== undefined && { url: endpoint }),
      ...(event !== undefined && { events: [...event] }),
      ...(description !== undefined && { description }),
      ...(status !== undefined && { status: STATUSES[status] }),
    });
    run.item(response, response.result, WEBHOOK);
  });
  updating
    .option("--endpoint <url>", "new URL to send events to")
    .option("--event <type>", "types to send instead, or * for all", listed)
    .addOption(clearingOption("--description <text>", "new description"))
    .addOption(new Option("--status <status>", "disable or enable").choices(Object.keys(STATUSES)));
  addCommand(webhooks, "delete <webhook_id>", "remove a webhook and its deliveries", around, async (run) => {
    const [webhookId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.webhooks.deleteWebhook({ webhookId });
    run.show(response, `Deleted ${webhookId}.`);
  });
  const rotate = "make a new secret, on stdout, once; the old one signs, too, for 24 hours";
  const rotating = addCommand<RequestIdOption>(webhooks, "rotate-secret <webhook_id>", rotate, around, async (run) => {
    const [webhookId = ""] = run.args;
    const client = await run.client("user");
    handOver(run, await client.webhooks.rotateWebhookSecret({ webhookId, ...requestIdOf(run.options) }));
  });
  withRequestId(rotating);
  addCommand(webhooks, "test <webhook_id>", "send a test now, and show what came back", around, async (run) => {
    const [webhookId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.webhooks.testWebhook({ webhookId });
    run.item(response, response.result, TEST);
    if (response.result?.delivered !== true) process.exitCode = EXIT_STATUS.failed;
  });
}

interface DeliveriesOptions {
  readonly webhook?: string;
  readonly event?: readonly string[];
  readonly eventId?: string;
  readonly status?: "pending" | "delivered" | "failed";
  readonly perPage?: number;
  readonly pageToken?: string;
}

const DELIVERY_STATUSES = {
  pending: WebhookDeliveryStatus.PENDING,
  delivered: WebhookDeliveryStatus.DELIVERED,
  failed: WebhookDeliveryStatus.FAILED,
};

function addDeliveries(webhooks: Command, around: Surroundings): void {
  const list = "list what was sent within 30 days, newest first; --json has the bodies, too";
  const listing = addCommand<DeliveriesOptions>(webhooks, "deliveries", list, around, async (run) => {
    const { webhook, event = [], eventId, status, perPage = 0, pageToken = "" } = run.options;
    if (event.length > 1) throw new UsageError("--event takes one type here");
    const client = await run.client("user");
    const response = await client.webhooks.listWebhookDeliveries({
      ...{ perPage, pageToken },
      ...given({ webhookId: webhook, type: event[0], eventId }),
      ...(status !== undefined && { status: DELIVERY_STATUSES[status] }),
      includeBody: run.options.json === true,
    });
    run.list(response, response.deliveries, DELIVERY);
    const { nextPageToken: token } = response;
    if (token !== "" && !run.options.json) run.note(`More: add --page-token ${token}`);
  });
  listing
    .option("--webhook <webhook_id>", "to this webhook")
    .option("--event <type>", "of this type", listed)
    .option("--event-id <event_id>", "of this event")
    .addOption(new Option("--status <status>", "only these").choices(Object.keys(DELIVERY_STATUSES)))
    .option("--per-page <number>", "deliveries on a page, at most 100 (default: 20)", wholeNumber(1, 100))
    .option("--page-token <token>", "the page that the one before names");
}

interface RedeliverOptions {
  readonly webhook?: string;
  readonly eventId?: string;
  readonly from?: Date;
  readonly onlyFailed?: true;
}

function addRedeliver(webhooks: Command, around: Surroundings): void {
  const again = "send one event again, or all of a webhook since an instant";
  const command = addCommand<RedeliverOptions>(webhooks, "redeliver", again, around, async (run) => {
    const count = await redeliver(run);
    run.show({ redelivered: count }, `Sending ${count} again.`);
  });
  command
    .option("--webhook <webhook_id>", "to this webhook")
    .option("--event-id <event_id>", "this event")
    .option("--from <instant>", "all since, such as 2030-01-31T12:00:00Z, or 24h for 24 hours ago", (text) =>
      parsePast(text),
    )
    .option("--only-failed", "with --from: redeliver only failed deliveries");
}

/** All pages of it. Returns how many are sent again. */
async function redeliver({ options, client: connect }: Invocation<RedeliverOptions>): Promise<number> {
  const { webhook: webhookId, eventId, from, onlyFailed = false } = options;
  const client = await connect("user");
  const since = from && { since: timestampFromDate(from) };
  let count = 0;
  let pageToken = "";
  do {
    const request = { webhookId, eventId, onlyFailed, pageToken, ...since };
    const page = await client.webhooks.redeliverWebhookEvents(request);
    count += page.redelivered;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return count;
}
