import { sharedLatchkey } from "../harness/latchkey.ts";
import { testCommonDenials } from "./common-denials.suite.ts";

testCommonDenials(await sharedLatchkey());
