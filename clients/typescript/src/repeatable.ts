import { clone, type DescField, type DescMethod, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";

const MESSAGE_ID = "client_message_id";
/** The caller's own id of an organization: a repeated call creates no second one. */
const ORG_ID = "client_org_id";
/** The caller's own id of a call that makes a key: a repeated call makes no second one, and its answer has no value. */
const REQUEST_ID = "client_request_id";
const OWN_IDS = [MESSAGE_ID, ORG_ID, REQUEST_ID];
const ID_BYTES = 16;

/** Whether a call may be retried although it is unknown whether it was executed: a read, or what has an id of the caller's. */
export function isRepeatable(method: DescMethod, message: Message): boolean {
  // Of an RPC that does not say so in its proto, none is repeated on a guess.
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return true;
  const own = method.input.fields.filter(({ name }) => OWN_IDS.includes(name));
  return own.some((field) => reflect(method.input, message).isSet(field));
}

/**
 * Gives each message a `client_message_id` of its own, unless it has one or the service knows no such field.
 *
 * It works on a copy: an id left in the caller's object would make the same text, sent again on purpose, a repetition.
 */
export const nameMessages: Interceptor = (next) => (req) => {
  const field = messageIdField(req.method);
  if (req.stream || field === undefined || reflect(req.method.input, req.message).isSet(field)) return next(req);
  const message = clone(req.method.input, req.message);
  reflect(req.method.input, message).set(field, newId());
  return next({ ...req, message });
};

function messageIdField(method: DescMethod): DescField | undefined {
  return method.input.fields.find((field) => field.name === MESSAGE_ID);
}

/** 128 random bits. Not `crypto.randomUUID`, which browsers offer on secure origins only. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
