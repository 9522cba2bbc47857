// promise: audit.pages
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testOperatorCallers } from "./operator-callers.suite.ts";

const latchkey = await sharedLatchkey();

testCommonDenials(latchkey, "ListTenantsEvents");
testOperatorCallers(latchkey, await sharedWithRoles(), "ListTenantsEvents");
