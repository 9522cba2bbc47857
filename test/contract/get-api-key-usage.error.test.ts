import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { testKeyIdErrors } from "./key-id.suite.ts";
import { testPeriodErrors } from "./usage-period.suite.ts";

const latchkey = await sharedLatchkey();

testKeyIdErrors(latchkey, "usage");
testPeriodErrors(["from", "to", "step"], async (period) => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  return dashboard.call("usage", { key_id, ...period });
});
