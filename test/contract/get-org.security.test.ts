import { sharedLatchkey } from "../harness/latchkey.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testOrganizationOfTenant } from "./organization.suite.ts";

const latchkey = await sharedLatchkey();

testCommonDenials(latchkey, "GetOrg");
testOrganizationOfTenant(latchkey, "GetOrg");
