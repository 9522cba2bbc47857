import { sharedLatchkey } from "../harness/latchkey.ts";
import { testTwinErrors } from "./operator-twin.suite.ts";

const latchkey = await sharedLatchkey();

testTwinErrors(latchkey, "list", [
  { page: -1 },
  { per_page: 1.5 },
  { status: "active" },
  { sort: "name" },
  { scope: "x".repeat(257) },
  { search: 5 },
  { last_used_before: "yesterday" },
  { keytype: "KEY_TYPE_SECRET" },
]);
