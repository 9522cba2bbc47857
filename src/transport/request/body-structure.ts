import type { DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { hasMoreParts } from "../../domain/json-parts.ts";
import { invalid } from "../../domain/request-fault.ts";

/**
 * Most parts of a body: structural characters in JSON, fields in binary. Requests have a few hundred.
 *
 * To parse a part takes microseconds. A body of 1 MiB that is all parts, such as `[[[[`, would keep the process from
 * everyone else for a quarter of a second, and in binary for half a second.
 */
const PARTS_MAX = 5_000;

/** Refuses a JSON body of too many parts. */
export function limitJson(body: Uint8Array): void {
  if (hasMoreParts(body, PARTS_MAX)) {
    throw invalid(
      "body",
      `must have at most ${PARTS_MAX} of the characters { [ : , outside of strings; send fewer members or items`,
    );
  }
}

/** Refuses a binary body of too many fields, those of the messages in it included. Throws also where it is no message. */
export function limitFields(schema: DescMessage, body: Uint8Array): void {
  if (body.byteLength > PARTS_MAX) countFields(new BinaryReader(body), body.byteLength, schema, 0);
}

/** Counts on from `before` up to the byte at `end`. Unknown fields are not looked into, except for groups. */
function countFields(reader: BinaryReader, end: number, schema: DescMessage | undefined, before: number): number {
  let fields = before;
  let groups = 0;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (++fields > PARTS_MAX)
      throw invalid("body", `must have at most ${PARTS_MAX} fields; send fewer members or items`);
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
