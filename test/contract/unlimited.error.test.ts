import { expect, test } from "vitest";
import { RateLimitSchema } from "../../gen/latchkey/v1/api_key_pb.ts";
import { expectInvalid } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { bodyWithAlone, pathOf, requestMembers } from "../harness/request-members.ts";

const latchkey = await sharedLatchkey();

const KEY = { name: "a key", permissions: ["plans:read"] };
/** The path of each request with a limit, and what else it needs, or a row of it. One that is not here fails the test. */
const REQUESTS: Readonly<Record<string, { readonly path: string; readonly body?: object; readonly row?: object }>> = {
  CreateApiKey: { path: "/api/v1/api-keys/create", body: KEY },
  UpdateApiKey: { path: "/api/v1/api-keys/update", body: { key_id: "key_x", update_mask: "rate_limit" } },
  CreateTenantKey: { path: "/api/v1/operator/keys/create", body: { ...KEY, tenant_id: newTenant() } },
  UpdateTenantKey: {
    path: "/api/v1/operator/keys/update",
    body: { tenant_id: newTenant(), key_id: "key_x", update_mask: "rate_limit" },
  },
  ImportApiKeys: { path: "/api/v1/api-keys/import", row: { ...KEY, key: "x" } },
  ImportTenantKeys: { path: "/api/v1/operator/keys/import", row: { ...KEY, key: "x", tenant_id: newTenant() } },
  SetKeyPolicy: { path: "/api/v1/api-keys/policy/set", body: {} },
};

/** Limits that say otherwise than their caps. */
const CONTRADICTIONS = [
  { unlimited: false },
  { unlimited: false, burst_size: 5 },
  { unlimited: false, requests_per_minute: 0, per_user: { requests_per_hour: 0, burst_size: 1 } },
  { unlimited: true, requests_per_minute: 5 },
  { unlimited: true, requests_per_hour: 5 },
  { unlimited: true, per_user: { requests_per_hour: 5 } },
];

const limits = requestMembers().filter(({ field }) => field.message === RateLimitSchema);

test("requests have limits", () => {
  expect(limits.map(({ method }) => method.name).toSorted()).toEqual(Object.keys(REQUESTS).toSorted());
});

test.each(limits.map((limit) => [limit.method.name, limit] as const))(
  "%s refuses a limit whose unlimited says otherwise than its caps",
  async (name, limit) => {
    const { path = "", body, row } = REQUESTS[name] ?? {};
    const headers = path.includes("/operator/") ? OPERATOR : await latchkey.dashboard();
    for (const contradiction of CONTRADICTIONS) {
      if (row !== undefined) {
        const ofRow = bodyWithAlone({ fields: limit.fields.slice(1) }, contradiction);
        const { json } = await latchkey.call(path, { keys: [{ ...row, ...ofRow }] }, headers);
        const message = expect.stringContaining("cap");
        expect(json.results).toMatchObject([{ status: "REFUSED", field: "rate_limit.unlimited", message }]);
        continue;
      }
      const answer = await latchkey.call(path, { ...body, ...bodyWithAlone(limit, contradiction) }, headers);
      expectInvalid(answer, `${pathOf(limit)}.unlimited`, "cap");
    }
  },
);
