// promise: operator.twins
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testOperatorCallers } from "./operator-callers.suite.ts";
import { testTwinTenancy } from "./operator-twin.suite.ts";

const latchkey = await sharedLatchkey();

testCommonDenials(latchkey, "UpdateTenantKey");
testOperatorCallers(latchkey, await sharedWithRoles(), "UpdateTenantKey");
testTwinTenancy(latchkey, "update", { name: "taken over", update_mask: "name" });
