import { expect, test } from "vitest";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { observable, UNKNOWN } from "./foreign-key.suite.ts";

const latchkey = await sharedLatchkey();

// threat: X2
test.each([
  { permissions: ["billing:read"], update_mask: "permissions" },
  { permissions: ["nonsense"], update_mask: "permissions" },
  { update_mask: "name" },
  { expires_at: "2001-01-01T00:00:00Z", update_mask: "expires_at" },
  { name: "x", update_mask: "keyType" },
])(
  "%j, which an existing key could not take, is the same answer for another tenant's key as for an unknown one",
  async (body) => {
    const stranger = dashboardOf(latchkey);
    const { key_id } = await dashboardOf(latchkey).createKey(PUBLISHABLE);
    const ofForeign = await stranger.call("update", { key_id, ...body });
    const ofUnknown = await stranger.call("update", { key_id: UNKNOWN, ...body });
    expect(observable(ofForeign)).toEqual(observable(ofUnknown));
  },
);
