import { sharedLatchkey } from "../harness/latchkey.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignKey } from "./foreign-key.suite.ts";

const latchkey = await sharedLatchkey();

testCommonDenials(latchkey, "GetApiKeyUsage");
testForeignKey(latchkey, "usage");
