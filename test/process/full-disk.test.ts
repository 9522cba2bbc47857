import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";
import { mountSmallDisk, type SmallDisk } from "../servers/small-disk.ts";

const DISK_MIB = 160;
const NOTICE = { timeout: 3_000, interval: 50 };
const RECOVERY = { timeout: 15_000 };
/** For how long writes fail: longer than anything that is to be noticed or tried again. */
const FULL_MS = 12_000;
const WARNING = 40;

let disk: SmallDisk;
let postgres: OwnPostgres;
let fleet: Fleet;
let busy: Replica;
let idle: Replica;
/** Lines of each log before the test. */
let before: Map<Replica, number>;

beforeAll(async () => {
  disk = await mountSmallDisk(DISK_MIB);
  postgres = await startOwnPostgres(disk.dir);
  fleet = await startFleet("", postgres.url);
  [busy, idle] = await Promise.all([fleet.start(), fleet.start()]);
});
afterAll(async () => {
  await fleet?.close();
  await postgres?.stop();
  await disk?.unmount();
});
beforeEach(() => {
  before = new Map([busy, idle].map((replica) => [replica, replica.log().length]));
});

/** What a replica said since the test began, but for its access log. */
function said(replica: Replica, levelMin = 0) {
  const lines = replica.log().slice(before.get(replica));
  return lines.filter(({ level, procedure }) => procedure === undefined && level >= levelMin);
}

async function isUp(replica: Replica): Promise<string | undefined> {
  const metrics = await (await fetch(`${replica.url}/metrics`)).text();
  return /^latchkey_postgres_up (\d)$/m.exec(metrics)?.[1];
}

const areUp = () => Promise.all([busy, idle].map(isUp));

describe("while the disk of PostgreSQL is full", () => {
  // threat: H12
  test("each replica says so once, by its metric within 3 s and without flapping, and counts what fails", async () => {
    const { key } = await fleet.createKey(busy);
    const call = async (path: string, body: unknown) => (await busy.call(path, body, { "x-api-key": key })).status;
    const send = () =>
      call("/api/v1/llm/gateway/send-message", {
        conversation_key: "full",
        user_message: {
          role: "ROLE_USER",
          content: [{ type: "CONTENT_PART_TYPE_TEXT", content: randomBytes(16_000).toString("hex") }],
        },
      });
    expect(await send()).toBe(200);
    expect(await areUp()).toEqual(["1", "1"]);

    await disk.fill();
    try {
      await expect.poll(areUp, NOTICE).toEqual(["0", "0"]);
      const untilMs = Date.now() + FULL_MS;
      const statuses: number[] = [];
      const refused = () => statuses.filter((status) => status === 503).length;
      /** A busy machine takes longer for as many. */
      const isOver = () => Date.now() >= untilMs && refused() > 100;
      const flood = async () => {
        while (!isOver()) statuses.push(await send());
      };
      const watch = async () => {
        while (!isOver()) {
          expect(await areUp()).toEqual(["0", "0"]);
          await sleep(200);
        }
      };
      await Promise.all([watch(), flood(), flood(), flood(), flood()]);
      // Some find room in pages that are there already.
      expect(statuses.filter((status) => status !== 503 && status !== 200)).toEqual([]);
      expect(await call("/api/v1/auth/verify", {})).toBe(200);
      for (const { url } of [busy, idle]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    } finally {
      await disk.free();
    }
    await expect.poll(areUp, RECOVERY).toEqual(["1", "1"]);

    const messages = (replica: Replica) => said(replica, WARNING).map(({ msg }) => msg);
    const full = "PostgreSQL cannot write: what it is to store fails until it can";
    expect(messages(idle)).toEqual([full]);
    expect(messages(busy)).toEqual(expect.arrayContaining([full, "the storage is unavailable"]));
    expect(new Set(messages(busy)).size).toBe(messages(busy).length);
    for (const replica of [busy, idle]) {
      const [line] = said(replica, WARNING).filter(({ msg }) => msg === full);
      expect(line?.err).toMatchObject({ code: "53100", message: expect.stringContaining("No space left on device") });
      await expect.poll(() => said(replica).map(({ msg }) => msg)).toContain("PostgreSQL can write again");
    }
    expect(await send()).toBe(200);
  });
});
