import type { DescField, DescMethod, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { faultOf, RequestFault } from "../domain/vocabulary/request-fault.ts";

/** By which clients of many APIs name a call, so that it is done once. */
export const IDEMPOTENCY_KEY = "idempotency-key";
const REQUEST_ID = "client_request_id";
/** A text as a structured field has it (RFC 9651, 3.3.3), as the IETF's draft about the header wants it. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;
const ASCII = /^[\x20-\x7e]*$/;

/** Whether a call of the method changes something, so that it matters how often it is done. */
export function isChange({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/**
 * Has the header name the call, as its `client_request_id` does. A changing call without one is refused: its caller believes that a
 * repetition does nothing. Throws `RequestFault`.
 */
export function nameCall(method: DescMethod, message: Message, header: string | undefined): void {
  if (header === undefined || header === "" || !isChange(method)) return;
  const field = requestIdOf(method);
  if (field === undefined) throw notSupported(method);
  const id = idIn(header);
  const named = reflect(method.input, message);
  if (named.isSet(field) && named.get(field) !== id) {
    throw faultOf(
      "invalid_value",
      REQUEST_ID,
      "must be the same as the header Idempotency-Key, which means it; send one of the two",
    );
  }
  named.set(field, id);
}

function requestIdOf({ input }: DescMethod): DescField | undefined {
  return input.fields.find(({ name }) => name === REQUEST_ID);
}

function idIn(header: string): string {
  const text = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, "$1") : header;
  if (text !== undefined && ASCII.test(text)) return text;
  throw new RequestFault(
    "invalid_header",
    'Idempotency-Key: must be one text of printable ASCII, such as retry1 or "retry1", with both quotation marks or neither.',
  );
}

function notSupported({ input }: DescMethod): RequestFault {
  const own = input.fields.find(({ name }) => name === "client_message_id" || name === "client_org_id");
  return new RequestFault(
    "idempotency_not_supported",
    own === undefined
      ? "Idempotency-Key: this call cannot be named, so that a repetition would be done again; leave the header out."
      : `Idempotency-Key: this call is named by ${own.name} in its body; send that, and leave the header out.`,
  );
}
