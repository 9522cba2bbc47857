import { sharedLatchkey } from "../harness/latchkey.ts";
import { testTwinErrors } from "./operator-twin.suite.ts";

const latchkey = await sharedLatchkey();

testTwinErrors(latchkey, "usage", [
  { key_id: "key_0" },
  { step: "minute" },
  { from: "yesterday" },
  { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
]);
