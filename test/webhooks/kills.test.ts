// promise: delivery.at-least-once, delivery.same-body
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { openReceiver, type Receiver, verified } from "./receiver.ts";

const CHANGES = 500;
const WORKERS = 8;
const KILLS = 10;

let receiver: Receiver;
let fleet: Fleet;
let admin: pg.Client;

beforeAll(async () => {
  receiver = await openReceiver();
  fleet = await startFleet("");
  admin = new pg.Client({ connectionString: fleet.databaseUrl });
  await admin.connect();
});

afterAll(async () => {
  await admin?.end();
  await fleet?.close();
  await receiver?.close();
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
/** The changes before so many kills. */
const share = (kills: number): number => (kills * CHANGES) / (KILLS + 1);
const start = () => fleet.start({ WEBHOOK_ALLOWED_HOSTS: receiver.host });

/** Makes changes of new keys; returns the ids of those requests that were acknowledged. */
async function makeChanges(
  targets: readonly Replica[],
  isDue: (sent: number) => boolean,
  onDone: () => void,
): Promise<ReadonlySet<string>> {
  const acknowledged = new Set<string>();
  const headers = await fleet.dashboard();
  let sent = 0;
  async function work(): Promise<void> {
    let keyId: string | undefined;
    while (sent < CHANGES) {
      if (!isDue(sent)) {
        await pause();
        continue;
      }
      sent += 1;
      const id = newId("req");
      const target = targets[sent % targets.length];
      const [path, body] =
        keyId === undefined
          ? ["create", { name: id, permissions: ["plans:read"] }]
          : sent % 3 === 0
            ? ["revoke", { key_id: keyId }]
            : ["update", { key_id: keyId, name: id, update_mask: "name" }];
      const answer = await target
        ?.call(`/api/v1/api-keys/${path}`, body, { ...headers, "x-request-id": id })
        .catch(() => undefined);
      onDone();
      const isAcknowledged = answer?.status === 200;
      if (isAcknowledged) acknowledged.add(id);
      if (path === "create") keyId = isAcknowledged ? answer.json.result.key_id : undefined;
      else if (path === "revoke" || !isAcknowledged) keyId = undefined;
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work));
  return acknowledged;
}

test(`of ${CHANGES} changes, whatever is killed meanwhile, each acknowledged one is delivered, and nothing else`, async () => {
  const targets = await Promise.all([start(), start()]);
  const [first] = targets;
  const hook = { url: receiver.url, events: ["*"] };
  const created = await first?.call("/api/v1/webhooks/create", hook, await fleet.dashboard());
  expect(created?.status, created?.text).toBe(200);
  const secret = created?.json.secret;

  let done = 0;
  let kills = 0;
  // Some changes are made while a replica is killed, and the others wait until another one has its place.
  const isDue = (sent: number): boolean => sent < share(kills + 1) + 4 * WORKERS;
  const making = makeChanges(targets, isDue, () => {
    done += 1;
  });
  while (kills < KILLS) {
    while (done < share(kills + 1)) await pause();
    const [doomed, staying] = targets;
    const replacement = await fleet.replace(doomed);
    targets.splice(0, 2, staying, replacement);
    kills += 1;
  }
  const acknowledged = await making;
  expect(acknowledged.size).toBeGreaterThan(CHANGES / 4);
  await expect
    .poll(() => unfinished(), { timeout: 120_000, interval: 500 })
    .toEqual({ unprepared: 0, pending: 0, failed: 0 });
  const { rows } = await admin.query<{ event_id: string; request_id: string }>(
    "select event_id, request_id from audit_events where action like 'api_key.%'",
  );
  const delivered = Map.groupBy(receiver.received, ({ id }) => id);
  expect(new Set(delivered.keys())).toEqual(new Set(rows.map(({ event_id }) => event_id)));
  const changed = new Set(rows.map(({ request_id }) => request_id));
  for (const id of acknowledged) expect(changed.has(id), id).toBe(true);
  for (const [id, attempts] of delivered) {
    expect(new Set(attempts.map(({ body }) => body)).size, id).toBe(1);
    for (const attempt of attempts) verified(secret, attempt);
  }
}, 300_000);

async function unfinished() {
  const { rows } = await admin.query(`
    select
      (select count(*)::int from webhook_events where prepared_at is null) as unprepared,
      (select count(*)::int from webhook_deliveries where status = 'pending') as pending,
      (select count(*)::int from webhook_deliveries where status = 'failed') as failed`);
  return rows[0];
}
