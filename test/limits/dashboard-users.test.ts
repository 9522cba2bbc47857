// promise: limits.dashboard
import { expect, inject, test } from "vitest";
import { startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

test("a dashboard user's limit holds over all replicas that share a Redis", async () => {
  const url = await copyDatabase(inject("servingTemplate").adminUrl);
  const shared = {
    storage: { kind: "postgres", url },
    redis: redisAt(inject("redisUrl")),
    dashboardRequestsPerMinute: 20,
  } as const;
  const one = await startLatchkey({ config: shared });
  const { issuer, jwksUrl, audience } = one.provider;
  const expectation = { issuer, jwksUrl, audience, jwksOwner: { kind: "operator" } } as const;
  const dashboard = { expectation, userIdClaim: "sub", tenantClaim: "tenant_id", requiredClaims: {} };
  const other = await startLatchkey({ config: { ...shared, dashboard } });
  const headers = await one.dashboard();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : other).call("/api/v1/scopes/list", {}, headers)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  await Promise.all([one.close(), other.close()]);
  await dropDatabase(inject("postgresUrl"), url);
});
