import { expect, test } from "vitest";
import { newKey } from "../../../test/harness/memory-keys.ts";
import { dashboardUser } from "../../../test/harness/principals.ts";
import { actingUser, callingUser } from "./acting-user.ts";
import type { Principal } from "./principal.ts";
import { NO_RIGHTS } from "./scopes.ts";

test("a call is made for the app's user, for the one that a key acts for, or for the tenant itself", () => {
  const { record: key } = newKey();
  const { tenantId } = key;
  const rights = NO_RIGHTS;
  const dashboard = dashboardUser({ userId: "d1", tenantId });
  const backend: Principal = { kind: "secret_key", key, tenantId, onBehalfOf: null, rights };
  const acting: Principal = { ...backend, onBehalfOf: "u1" };
  const app: Principal = { kind: "publishable_key", key, tenantId, userId: "u2", rights };
  const operator: Principal = { kind: "operator", token: 1, tenantId: null, rights };
  expect([dashboard, backend, acting, app, operator].map(actingUser)).toEqual([null, null, "u1", "u2", null]);
  expect([dashboard, backend, acting, app, operator].map(callingUser)).toEqual(["d1", null, "u1", "u2", null]);
});
