import { clone, type DescMethod, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

const MESSAGE_ID = "client_message_id";
/** The caller's own id of an organization: a repeated call creates no second one. */
const ORG_ID = "client_org_id";
/** The caller's own id of a call that makes a secret: a repeated call makes no second one, and its answer does not have it. */
const REQUEST_ID = "client_request_id";
const OWN_IDS = [MESSAGE_ID, ORG_ID, REQUEST_ID];
const ID_BYTES = 16;

/** Whether a call may be retried although it is unknown whether it was executed: a read, or what has an id of the caller's. */
export function isRepeatable(method: DescMethod, message: Message): boolean {
  // An RPC that does not say so in its proto is never repeated on a guess.
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return true;
  const own = method.input.fields.filter(({ name }) => OWN_IDS.includes(name));
  return own.some((field) => reflect(method.input, message).isSet(field));
}

/**
 * Gives each message a `client_message_id` of its own, and each call that makes a secret a `client_request_id`, unless it has one:
 * retries then do it once.
 *
 * It works on a copy: an id left in the caller's object would make the same text, sent again on purpose, a repetition. A secret is
 * handed over once, so the call fails with `Code.DataLoss` if an attempt succeeded and its answer was lost.
 */
export const nameCalls: Interceptor = (next) => async (req) => {
  const field = req.method.input.fields.find(({ name }) => name === MESSAGE_ID || name === REQUEST_ID);
  if (req.stream || field === undefined || reflect(req.method.input, req.message).isSet(field)) return next(req);
  const message = clone(req.method.input, req.message);
  reflect(req.method.input, message).set(field, newId());
  const res = await next({ ...req, message });
  if (!res.stream) refuseLostSecret(reflect(req.method.output, res.message));
  return res;
};

/** An empty secret, returned as if it were one, could be stored in its place. */
function refuseLostSecret(response: ReflectMessage): void {
  const result = response.fields.find(({ name }) => name === "result");
  const made = result?.fieldKind === "message" && response.isSet(result) ? response.get(result) : response;
  if (![response, made].some((message) => memberOf(message, /^already_created$/) === true)) return;
  throw new ConnectError(
    `The answer of an earlier attempt, which held the secret, was lost. It made ${memberOf(made, /_id$/)}: revoke or rotate that, and call again.`,
    Code.DataLoss,
  );
}

function memberOf(message: ReflectMessage, name: RegExp): unknown {
  const field = message.fields.find((each) => name.test(each.name));
  return field && message.get(field);
}

/** 128 random bits. Not `crypto.randomUUID`, which browsers offer on secure origins only. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
