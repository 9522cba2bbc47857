// promise: requests.recent, requests.explained
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { RecentRequest } from "../../src/domain/requests/recent-request.ts";
import type { RequestFilter, RequestLog } from "../../src/domain/requests/request-log.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { newRequest, REQUESTED_AT } from "../harness/recent-requests.ts";

const DAY_MS = 86_400_000;
const ALL: RequestFilter = { from: null, to: null, keyId: "", tokenId: "", verdict: null, reason: "", requestId: "" };
/** What every RequestLog promises. */
export function requestLogSuite(name: string, open: () => Promise<RequestLog>): void {
  describe(`recent requests in ${name}`, () => {
    let log: RequestLog;
    beforeAll(async () => {
      log = await open();
    });

    const add = (...requests: readonly RecentRequest[]) => log.addRequests(randomUUID(), requests);
    const list = async (tenantId: string, filter: Partial<RequestFilter> = {}, perPage = 1_000) =>
      (await log.listRequests(tenantId, { ...ALL, ...filter }, { after: undefined, perPage })).requests;
    /** Requests with the numbers from `from` on, a second apart. */
    const series = (count: number, fields: Partial<RecentRequest>, from = 0) =>
      Array.from({ length: count }, (_, n) =>
        newRequest({ ...fields, requestId: `${from + n}`, at: new Date(REQUESTED_AT.getTime() + (from + n) * 1_000) }),
      );
    const idsOf = (requests: readonly RecentRequest[]) => requests.map(({ requestId }) => requestId);

    test("are read as they were added, whatever is in their texts", async () => {
      const tenantId = newId("ten");
      const odd = ` ,"'{}\\\n😀`;
      const denied = newRequest({ tenantId, keyId: odd, message: odd, userId: odd });
      const user = newRequest({ tenantId, keyId: null, caller: "dashboard_user", address: null });
      const admitted = newRequest({ tenantId, reason: null, message: "" });
      await add(denied, user, admitted);
      expect(await list(tenantId)).toEqual([admitted, user, denied]);
      expect(await log.findRequest(null, denied.requestId)).toEqual(denied);
    });

    test("with a token in place of the key are found by its id, in their tenant", async () => {
      const [tenantId, tokenId] = [newId("ten"), newId("tok")];
      const request = newRequest({ tenantId, tokenId });
      await add(request, newRequest({ tenantId }), newRequest({ tenantId, tokenId: newId("tok") }));
      expect(await list(tenantId, { tokenId })).toEqual([request]);
      expect(await list(newId("ten"), { tokenId })).toEqual([]);
    });

    test("of one tenant are found by no other", async () => {
      const [tenantId, other] = [newId("ten"), newId("ten")];
      const request = newRequest({ tenantId });
      await add(request);
      expect(await log.findRequest(tenantId, request.requestId)).toEqual(request);
      expect(await log.findRequest(other, request.requestId)).toBeUndefined();
      expect(await list(other)).toEqual([]);
    });

    test("without a tenant are found by the operator alone", async () => {
      const request = newRequest({ tenantId: null, keyId: null, caller: null });
      await add(request);
      expect(await log.findRequest(null, request.requestId)).toEqual(request);
      expect(await log.findRequest(newId("ten"), request.requestId)).toBeUndefined();
    });

    test("of a batch that is sent again, at once or later, are there once", async () => {
      const tenantId = newId("ten");
      const batch = [newRequest({ tenantId }), newRequest({ tenantId })];
      const batchId = randomUUID();
      await Promise.all([log.addRequests(batchId, batch), log.addRequests(batchId, batch)]);
      await log.addRequests(batchId, batch);
      expect(await list(tenantId)).toHaveLength(2);
    });

    test("of a key are the last 100 denials and the last 100 admissions, and other keys lose none", async () => {
      const tenantId = newId("ten");
      const [own, other] = [newId("key"), newId("key")];
      await add(...series(3, { tenantId, keyId: other }), ...series(3, { tenantId, keyId: null }));
      for (const from of [0, 60, 120]) {
        await add(
          ...series(60, { tenantId, keyId: own }, from),
          ...series(60, { tenantId, keyId: own, reason: null, message: "" }, from),
        );
      }
      const last = Array.from({ length: 100 }, (_, n) => `${179 - n}`);
      expect(idsOf(await list(tenantId, { keyId: own, verdict: "denied" }))).toEqual(last);
      expect(idsOf(await list(tenantId, { keyId: own, verdict: "admitted" }))).toEqual(last);
      expect(await list(tenantId, { keyId: other })).toHaveLength(3);
      expect(await list(tenantId)).toHaveLength(206);
    });

    test("of a key are bounded, too, while many replicas add to it at once, and none waits for another", async () => {
      const tenantId = newId("ten");
      const batches = Array.from({ length: 12 }, (_, n) => series(40, { tenantId }, n * 40));
      await Promise.all(batches.map((batch) => add(...batch)));
      await add(...series(1, { tenantId }, 1_000));
      expect(idsOf(await list(tenantId))).toHaveLength(100);
      expect(idsOf(await list(tenantId))[0]).toBe("1000");
    });

    test("without a tenant are the last 1,000", async () => {
      const mark = newId("req");
      const strangers = (from: number) =>
        series(500, { tenantId: null, keyId: null }, from).map((request) => ({
          ...request,
          at: new Date(REQUESTED_AT.getTime() + DAY_MS + from),
          requestId: `${mark} ${request.requestId}`,
        }));
      for (const from of [0, 500, 1_000]) await add(...strangers(from));
      expect(await log.findRequest(null, `${mark} 499`)).toBeUndefined();
      expect(await log.findRequest(null, `${mark} 500`)).toBeDefined();
    });

    test("are filtered by key, verdict, reason, id and time, in pages that go on where they stopped", async () => {
      const tenantId = newId("ten");
      const [key, ...rest] = series(6, { tenantId, reason: "rate_limited" });
      if (key === undefined) throw new Error("none");
      const other = newRequest({
        tenantId,
        keyId: "key_2",
        reason: "not_found",
        at: new Date(REQUESTED_AT.getTime() + 60_000),
      });
      await add(key, ...rest, other);
      expect(await list(tenantId, { keyId: "key_2" })).toEqual([other]);
      expect(await list(tenantId, { verdict: "failed" })).toEqual([other]);
      expect(await list(tenantId, { verdict: "denied" })).toHaveLength(6);
      expect(await list(tenantId, { verdict: "admitted" })).toEqual([]);
      expect(await list(tenantId, { reason: "not_found" })).toEqual([other]);
      expect(await list(tenantId, { requestId: "3" })).toHaveLength(1);
      const [from, to] = [new Date(REQUESTED_AT.getTime() + 1_000), new Date(REQUESTED_AT.getTime() + 3_000)];
      expect(idsOf(await list(tenantId, { from, to }))).toEqual(["2", "1"]);
      const seen: string[] = [];
      let after: { atMs: number; seq: number } | undefined;
      do {
        const page = await log.listRequests(tenantId, ALL, { after, perPage: 3 });
        seen.push(...idsOf(page.requests));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual([other.requestId, "5", "4", "3", "2", "1", "0"]);
    });

    test("of a clock that is years ahead are a day ahead at most", async () => {
      const tenantId = newId("ten");
      await add(newRequest({ tenantId, at: new Date(Date.now() + 3_650 * DAY_MS) }));
      const [request] = await list(tenantId);
      expect(request?.at.getTime()).toBeLessThanOrEqual(Date.now() + DAY_MS);
    });

    test("before an instant are removed, a number of them at a time", async () => {
      const tenantId = newId("ten");
      const old = Date.parse("2020-01-01T00:00:00Z");
      await add(...series(5, { tenantId }).map((request, n) => ({ ...request, at: new Date(old + n) })));
      expect(await log.removeBefore(new Date(old), 10)).toBe(0);
      expect(await log.removeBefore(new Date(old + 4), 3)).toBe(3);
      expect(await log.removeBefore(new Date(old + 4), 3)).toBe(1);
      expect(await list(tenantId)).toHaveLength(1);
    });
  });
}
