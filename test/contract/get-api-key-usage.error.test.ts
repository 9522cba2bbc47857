import { sharedLatchkey } from "../harness/latchkey.ts";
import { testKeyIdErrors } from "./key-id.suite.ts";

const latchkey = await sharedLatchkey();

testKeyIdErrors(latchkey, "usage");
