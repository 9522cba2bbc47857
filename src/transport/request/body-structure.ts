import type { DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ImportedRowSchema } from "../../../gen/latchkey/v1/key_import_pb.ts";
import { hasMoreParts } from "../../domain/vocabulary/json-parts.ts";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";

/**
 * Maximum parts of a body: structural characters in JSON, fields in binary. Real requests have a few hundred.
 *
 * Parsing a part takes microseconds. A body of 1 MiB that consists of parts only, such as `[[[[`, would block the event loop
 * for a quarter of a second, and in binary for half a second.
 */
const PARTS_MAX = 5_000;
/** Of an import: 1,000 rows of 50 parts. Only administrators send one. */
const IMPORT_PARTS_MAX = 50_000;
/** Of JSON that no proto describes, of which few members are read. */
const FOREIGN_PARTS_MAX = 40_000;

/** Rejects a JSON body with too many parts. Throws `RequestFault`. */
export function limitJson(schema: DescMessage, body: Uint8Array): void {
  if (!hasMoreParts(body, PARTS_MAX)) return;
  limitParts(body, partsMax(schema));
}

/** The same for the body of another system's program. */
export function limitForeignJson(body: Uint8Array): void {
  limitParts(body, FOREIGN_PARTS_MAX);
}

function limitParts(body: Uint8Array, max: number): void {
  if (!hasMoreParts(body, max)) return;
  throw new RequestFault(
    "body_too_complex",
    `body: must have at most ${max} of the characters { [ : , outside of strings; send fewer members or items`,
  );
}

function partsMax({ fields }: DescMessage): number {
  return fields.some(({ message }) => message === ImportedRowSchema) ? IMPORT_PARTS_MAX : PARTS_MAX;
}

/**
 * Rejects a binary body with too many fields, including those of nested messages. Throws `RequestFault`, or an error of the
 * reader if the body is not a message.
 */
export function limitFields(schema: DescMessage, body: Uint8Array): void {
  if (body.byteLength > PARTS_MAX) countFields(new BinaryReader(body), body.byteLength, schema, 0, partsMax(schema));
}

/** Continues the count `before` up to the byte at `end`. Unknown fields count as one, except groups. */
function countFields(
  reader: BinaryReader,
  end: number,
  schema: DescMessage | undefined,
  before: number,
  max: number,
): number {
  let fields = before;
  let groups = 0;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    if (++fields > max)
      throw new RequestFault("body_too_complex", `body: must have at most ${max} fields; send fewer members or items`);
    const field = groups === 0 ? schema?.fields.find((each) => each.number === number) : undefined;
    const isMessage = field?.message !== undefined || field?.fieldKind === "map";
    if (wireType === WireType.StartGroup) groups++;
    else if (wireType === WireType.EndGroup) groups--;
    else if (wireType !== WireType.LengthDelimited || !isMessage) reader.skip(wireType);
    else {
      const bytes = reader.uint32();
      const inner = field.fieldKind === "map" ? undefined : field.message;
      fields = countFields(reader, reader.pos + bytes, inner, fields, max);
    }
  }
  return fields;
}
