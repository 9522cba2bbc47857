import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import { type Key, startPair } from "../leases-faults/pair.ts";
import { openProcesses, warm } from "../leases-faults/processes.ts";
import { onServer, startTwoServers, type TwoServers } from "../leases-faults/two-servers.ts";
import { withPort } from "../servers/postgres.ts";

const RECOVERY = { timeout: 20_000 };

let servers: TwoServers;
beforeEach(async () => {
  servers = await startTwoServers();
});
afterEach(() => servers.stop());

describe("a failover to a standby that lacks the last commits", () => {
  // threat: H8
  test("gets an acknowledged revocation again, and all replicas agree on it", async () => {
    const pair = await startPair(servers.url);
    try {
      const [revoker] = pair.replicas;
      const [kept, lost, later] = (await pair.createKeys(3)) as [Key, Key, Key];
      for (const key of [kept, lost, later]) expect(await pair.verifyOnBoth(key)).toEqual([200, 200]);
      expect(await pair.revoke(revoker, kept)).toBe(true);
      await servers.awaitReplay();
      servers.link.cut();
      expect(await pair.revoke(revoker, lost)).toBe(true);
      expect(await pair.verifyOnBoth(lost)).toEqual([401, 401]);

      await servers.failOver();
      await expect.poll(() => pair.verifyOnBoth(lost), RECOVERY).toEqual([401, 401]);
      await expect.poll(() => pair.verifyOnBoth(kept), RECOVERY).toEqual([401, 401]);
      await expect.poll(() => pair.verifyOnBoth(later), RECOVERY).toEqual([200, 200]);
      await expect.poll(() => pair.revoke(revoker, later), RECOVERY).toBe(true);
      expect(await pair.verifyOnBoth(later)).toEqual([401, 401]);
    } finally {
      await pair.close();
    }
  }, 120_000);

  test("may number marks as the old server did: a mark of another key under such a number counts", async () => {
    const processes = await openProcesses({}, servers.url);
    try {
      const replica = await processes.start();
      const [one, other] = (await processes.newKeys(2)) as [NewKey, NewKey];
      await warm([replica], [one, other]);
      await servers.awaitReplay();
      servers.link.cut();
      // Of each key its record and its tenant's state.
      const cached = async () => (await replica.state()).records;
      const insertMark = (port: number, { secretHash }: NewKey) =>
        onServer(
          withPort(processes.url, port),
          `insert into key_marks (mark_id, secret_hash) overriding system value
           values (1000, '\\x${Buffer.from(secretHash, "base64url").toString("hex")}')`,
        );
      await insertMark(servers.primary.port, one);
      await expect.poll(cached).toBe(3);

      await servers.primary.crash();
      await servers.standby.promote();
      await insertMark(servers.standby.port, other);
      servers.address.redirect(servers.standby.port);
      await expect.poll(cached, RECOVERY).toBe(0);
      await expect.poll(() => replica.state(), RECOVERY).toMatchObject({ isLeaseHeld: true });
      expect(await replica.verify([other, other])).toEqual(["active", "active"]);
      expect(await cached()).toBe(1);
      expect(await replica.verify([one])).toEqual(["active"]);
      expect(await cached()).toBe(3);
    } finally {
      await processes.close();
    }
  }, 120_000);
});
