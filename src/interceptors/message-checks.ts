import type { DescMessage, Message } from "@bufbuild/protobuf";
import { checkValues, validateMessage } from "./validation.ts";

/** Steps 7 and 8 of the order of checks (`gate/order.ts`). Throws `RequestFault`. */
export function checkMessage(schema: DescMessage, message: Message): void {
  // 7.
  checkValues(schema, message);
  // 8.
  validateMessage(schema, message);
}
