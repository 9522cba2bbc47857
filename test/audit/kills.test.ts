// promise: audit.committed
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import type { JsonObject } from "../harness/http.ts";

const CHANGES = 500;
const WORKERS = 8;
const KILLS = 10;

let fleet: Fleet;
let admin: pg.Client;

beforeAll(async () => {
  fleet = await startFleet("");
  admin = new pg.Client({ connectionString: fleet.databaseUrl });
  await admin.connect();
});

afterAll(async () => {
  await admin?.end();
  await fleet?.close();
});

/** A call that must change something if it succeeds. */
interface Change {
  readonly path: string;
  readonly body: JsonObject;
}

/** The next change of a worker, to a key of its own. A key whose state is unknown is not used again. */
function nextChange(keys: string[]): Change {
  const [key_id] = keys;
  const choice = Math.random();
  if (key_id === undefined || choice < 0.3) {
    return { path: "create", body: { name: newId("req"), permissions: ["plans:read"] } };
  }
  if (choice < 0.6) return { path: "update", body: { key_id, name: newId("req"), update_mask: "name" } };
  return { path: choice < 0.8 ? "rotate" : "revoke", body: { key_id } };
}

/** Makes changes on whichever replica is there; returns the ids of the requests by whether they were acknowledged. */
async function makeChanges(targets: readonly Replica[], onDone: () => void) {
  const acknowledged = new Set<string>();
  const sent = new Set<string>();
  const headers = await fleet.dashboard();
  async function work(): Promise<void> {
    const keys: string[] = [];
    while (sent.size < CHANGES) {
      const change = nextChange(keys);
      const id = newId("req");
      sent.add(id);
      const target = targets[Math.floor(Math.random() * targets.length)];
      const path = `/api/v1/api-keys/${change.path}`;
      const answer = await target?.call(path, change.body, { ...headers, "x-request-id": id }).catch(() => undefined);
      onDone();
      if (change.path !== "update" || answer?.status !== 200) keys.splice(keys.indexOf(change.body.key_id), 1);
      if (answer?.status !== 200) continue;
      acknowledged.add(id);
      if (change.path === "create") keys.push(answer.json.result.key_id);
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work));
  return { acknowledged, sent };
}

interface Event {
  readonly request_id: string;
  readonly target_id: string;
  readonly changes: Record<string, { readonly new?: unknown }>;
}

// threat: H9
test(`of ${CHANGES} changes, whatever is killed meanwhile, each acknowledged one has one event, and each event is true`, async () => {
  const targets = await Promise.all([fleet.start(), fleet.start()]);
  let done = 0;
  let underKill = 0;
  const making = makeChanges(targets, () => {
    done += 1;
  });
  let isOver = false;
  making.finally(() => {
    isOver = true;
  });
  for (let kill = 0; kill < KILLS && !isOver; kill++) {
    const at = done + Math.floor(Math.random() * (CHANGES / KILLS));
    while (done < at && !isOver) await new Promise((resolve) => setImmediate(resolve));
    const [doomed, staying] = targets;
    const before = done;
    const replacement = await fleet.replace(doomed);
    underKill += done - before;
    targets.splice(0, 2, staying, replacement);
  }
  const { acknowledged, sent } = await making;
  const { rows: events } = await admin.query<Event>(
    "select request_id, target_id, changes from audit_events where request_id = any ($1) order by seq",
    [[...sent]],
  );
  const perRequest = Map.groupBy(events, ({ request_id }) => request_id);
  for (const id of acknowledged) expect(perRequest.get(id), id).toHaveLength(1);
  for (const [id, own] of perRequest) expect(own, id).toHaveLength(1);
  await expectTrue(events);
  // Otherwise nothing was killed in the middle of its work.
  expect(acknowledged.size).toBeGreaterThan(CHANGES / 4);
  expect(underKill).toBeGreaterThan(0);
});

/** Replays the events and compares the result with the keys: a change without an event, or an event without its change, differs. */
async function expectTrue(events: readonly Event[]): Promise<void> {
  const replayed = new Map<string, { name: unknown; revoked: boolean; rotated_to: unknown }>();
  for (const { target_id, changes } of events) {
    const known = replayed.get(target_id) ?? { name: "", revoked: false, rotated_to: null };
    replayed.set(target_id, {
      name: changes.name?.new ?? known.name,
      revoked: known.revoked || typeof changes.revoked_at?.new === "string",
      rotated_to: changes.rotated_to?.new ?? known.rotated_to,
    });
  }
  const { rows: keys } = await admin.query(
    "select key_id, name, revoked_at is not null as revoked, rotated_to, rotated_from from api_keys",
  );
  // A successor is made by the rotation of its predecessor, and has no event of its own.
  const made = keys.filter(({ rotated_from }) => rotated_from === null);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ key_id }) => key_id))).toEqual(new Set(replayed.keys()));
  for (const { key_id, name, revoked, rotated_to } of made) {
    expect({ key_id, name, revoked, rotated_to }).toEqual({ key_id, ...replayed.get(key_id) });
  }
  const successors = keys.filter(({ rotated_from }) => rotated_from !== null).map(({ key_id }) => key_id);
  expect(new Set(successors)).toEqual(new Set([...replayed.values()].map((key) => key.rotated_to).filter(Boolean)));
}
