import type { DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { hasMoreParts } from "../../domain/vocabulary/json-parts.ts";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";

/**
 * Maximum parts of a body: structural characters in JSON, fields in binary. Real requests have a few hundred.
 *
 * Parsing a part takes microseconds. A body of 1 MiB that consists of parts only, such as `[[[[`, would block the event loop
 * for a quarter of a second, and in binary for half a second.
 */
const PARTS_MAX = 5_000;

/** Rejects a JSON body with too many parts. Throws `RequestFault`. */
export function limitJson(body: Uint8Array): void {
  if (hasMoreParts(body, PARTS_MAX)) {
    throw new RequestFault(
      "body_too_complex",
      `body: must have at most ${PARTS_MAX} of the characters { [ : , outside of strings; send fewer members or items`,
    );
  }
}

/**
 * Rejects a binary body with too many fields, including those of nested messages. Throws `RequestFault`, or an error of the
 * reader if the body is not a message.
 */
export function limitFields(schema: DescMessage, body: Uint8Array): void {
  if (body.byteLength > PARTS_MAX) countFields(new BinaryReader(body), body.byteLength, schema, 0);
}

/** Continues the count `before` up to the byte at `end`. Unknown fields count as one, except groups. */
function countFields(reader: BinaryReader, end: number, schema: DescMessage | undefined, before: number): number {
  let fields = before;
  let groups = 0;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (++fields > PARTS_MAX)
      throw new RequestFault(
        "body_too_complex",
        `body: must have at most ${PARTS_MAX} fields; send fewer members or items`,
      );
    const field = groups === 0 ? schema?.fields.find((each) => each.number === number) : undefined;
    const isMessage = field?.message !== undefined || field?.fieldKind === "map";
    if (wireType === WireType.StartGroup) groups++;
    else if (wireType === WireType.EndGroup) groups--;
    else if (wireType !== WireType.LengthDelimited || !isMessage) reader.skip(wireType);
    else {
      const bytes = reader.uint32();
      fields = countFields(reader, reader.pos + bytes, field.fieldKind === "map" ? undefined : field.message, fields);
    }
  }
  return fields;
}
