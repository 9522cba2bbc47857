import { test } from "vitest";
import { expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { testTwinErrors } from "./operator-twin.suite.ts";

const latchkey = await sharedLatchkey();

testTwinErrors(latchkey, "rotate", [
  { key_id: "key_0" },
  { grace_period_hours: 721 },
  { grace_period_hours: -1 },
  { client_request_id: "x".repeat(129) },
]);

test("a key is rotated once, by any caller, and the refusal names its successor", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const successor = await dashboard.result("rotate", { key_id });
  const again = await operatorOf(latchkey).call("keys/rotate", { tenant_id: dashboard.tenant, key_id });
  expectPrecondition(again, "key_id", successor.key_id);
});
