import { sharedLatchkey } from "../harness/latchkey.ts";
import { testTwinErrors } from "./operator-twin.suite.ts";

const latchkey = await sharedLatchkey();

testTwinErrors(latchkey, "get", [
  { key_id: "" },
  { key_id: null },
  { key_id: 5 },
  { key_id: "key_0" },
  { keyId: "key_0" },
]);
