import type { DescMessage, DescMethod, Message } from "@bufbuild/protobuf";
import { nameCall } from "./idempotency-key.ts";
import { checkValues, validateMessage } from "./validation.ts";

/** `checkMessage` for a request whose header may name the call: its `client_request_id` is checked like one in the body. */
export function checkNamedMessage(method: DescMethod, message: Message, idempotencyKey: string | undefined): void {
  nameCall(method, message, idempotencyKey);
  checkMessage(method.input, message);
}

/** The last checks (`gate/gate.ts`): of the message. Throws `RequestFault`. */
export function checkMessage(schema: DescMessage, message: Message): void {
  // 7.
  checkValues(schema, message);
  // 8.
  validateMessage(schema, message);
}
