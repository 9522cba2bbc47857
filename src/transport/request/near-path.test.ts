import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNearPath } from "./near-path.ts";

const PATHS = ["/api/v1/api-keys/create", "/api/v1/api-keys/list", "/api/v1/orgs/create", "/healthz"];
const PROCEDURES = ["/latchkey.v1.ApiKeyService/CreateApiKey", "/latchkey.v1.ApiKeyService/ListApiKeys"];
const near = createNearPath(PATHS, PROCEDURES);

describe("an unknown path", () => {
  test.each([
    ["/api/v1/ApiKeys/Create", "/api/v1/api-keys/create"],
    ["/v2/api_keys/list/", "/api/v1/api-keys/list"],
    ["/api/v1/api-keys/lsit", "/api/v1/api-keys/list"],
    ["/gateway/api/v1/orgs/create", "/api/v1/orgs/create"],
    ["/ApiKeyService/CreateApiKey", "/latchkey.v1.ApiKeyService/CreateApiKey"],
    ["/health", "/healthz"],
  ])("%s is offered %s", (path, meant) => expect(near(path)).toContain(`did you mean ${meant}?`));

  test("that ends like two of ours is offered neither", () => expect(near("/create")).toBeUndefined());

  test.each(["/api/v1/api-keys", "/api/v1/api-keys/delete", "/api/v1/api-keys/key_1/scopes"])(
    "%s is answered with the operations there",
    (path) => expect(near(path)).toContain("/api/v1/api-keys/create, /api/v1/api-keys/list; GET /openapi.json"),
  );

  test("of any form is answered only with our own paths", () => {
    const known = new Set(["/openapi.json", ...PATHS, ...PROCEDURES]);
    const part = fc.constantFrom("/", "api", "v1", "api-keys", "create", "health", "sk_", "%2f", "ApiKeyService");
    const path = fc.array(fc.oneof(part, fc.string()), { maxLength: 12 }).map((parts) => `/${parts.join("")}`);
    fc.assert(
      fc.property(path, (asked) => {
        const named = near(asked)?.match(/\/[\w./-]+\w/g) ?? [];
        expect(named.filter((each) => !known.has(each))).toEqual([]);
      }),
    );
  });

  test("is compared by its first 128 characters", () => {
    expect(near(`/${"x".repeat(100)}/api/v1/orgs/create`)).toContain("/api/v1/orgs/create");
    expect(near(`/${"x".repeat(128)}/api/v1/orgs/create`)).toBeUndefined();
  });
});
