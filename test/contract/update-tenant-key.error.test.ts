// promise: operator.twins
import { sharedLatchkey } from "../harness/latchkey.ts";
import { testTwinErrors } from "./operator-twin.suite.ts";

const latchkey = await sharedLatchkey();

testTwinErrors(latchkey, "update", [
  { key_id: "key_0", name: "x", update_mask: "name" },
  { name: "x" },
  { status: "KEY_STATUS_REVOKED", update_mask: "status" },
  { key: "sk_x", update_mask: "key" },
  { name: "", update_mask: "name" },
  { name: "x", update_mask: "title" },
  { permissions: ["plans:reed"], update_mask: "permissions" },
  { rate_limit: { burst_size: -1 }, update_mask: "rate_limit" },
  { expires_at: "2020-01-01T00:00:00Z", update_mask: "expires_at" },
  { allowed_ips: ["10.0.0.1/8"], update_mask: "allowed_ips" },
]);
