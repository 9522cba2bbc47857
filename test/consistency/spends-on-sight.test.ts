import { Redis } from "ioredis";
import { afterAll, expect, inject, test } from "vitest";
import { createCachedKeyRecords } from "../../src/store/redis/key-records.ts";
import { KEY_STATUS_CASES } from "../store/key-status-cases.ts";
import { NOW, newKey } from "../store/records.ts";
import { leaseIn } from "./cache-record.ts";

const redis = new Redis(inject("redisUrl"));
const cachedKeys = createCachedKeyRecords(redis, { now: () => NOW });

afterAll(() => redis.disconnect());

for (const { name, fields, spendsOnSight } of KEY_STATUS_CASES) {
  test(`a look-up in Redis ${spendsOnSight ? "spends a request" : "spends nothing"}: ${name}`, async () => {
    const key = newKey({ ...fields, rateLimit: { requestsPerMinute: 5, requestsPerHour: 0, burstSize: 0 } });
    const lease = leaseIn(await cachedKeys.lookUp(key.secretHash, true));
    expect(lease).not.toBe("");
    const stored = await cachedKeys.store(key.secretHash, key.record, lease, true);
    expect(stored.decision !== null).toBe(spendsOnSight);
    const lookUp = await cachedKeys.lookUp(key.secretHash, true);
    expect(lookUp).toMatchObject({ found: true, key: key.record });
    expect(lookUp.found && lookUp.decision !== null).toBe(spendsOnSight);
  });
}
