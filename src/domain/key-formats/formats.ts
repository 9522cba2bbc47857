import type { Act } from "../audit/event.ts";
import { faultOf, RequestFault } from "../vocabulary/request-fault.ts";
import { shareText } from "./characters.ts";
import { type CheckedFormat, checkedFormat, type KeyFormatInput } from "./checked-format.ts";
import { FORMATS_MAX, type KeyFormatStore } from "./format-store.ts";
import type { KeyFormat } from "./key-format.ts";
import type { Peppers } from "./peppers.ts";

export interface KeyFormatsContext {
  readonly formats: KeyFormatStore;
  readonly peppers: () => Peppers;
}

/** Declares what the keys of another system look like. */
export async function createFormat(
  { formats, peppers }: KeyFormatsContext,
  input: KeyFormatInput,
  act: Act,
): Promise<KeyFormat> {
  const format = checkedFormat(input, peppers());
  return formats.insertFormat(format, (existing) => checkBeside(existing, format), act);
}

/** Throws unless no key that has not ended has the format. */
export async function deleteFormat({ formats }: Pick<KeyFormatsContext, "formats">, name: string, act: Act) {
  const outcome = await formats.deleteFormat(name, act);
  if (outcome === "not_found") throw formatNotFound();
  if (outcome === "in_use") {
    throw faultOf("key_format_in_use", "key_format", "has keys that have not ended; rotate or revoke them first");
  }
}

export function formatNotFound(): RequestFault {
  return faultOf("key_format_not_found", "key_format", "no such key format; list the formats to see those there are");
}

function checkBeside(existing: readonly KeyFormat[], format: CheckedFormat): void {
  if (existing.some(({ name }) => name === format.name)) {
    throw faultOf("key_format_exists", "key_format", "is the name of another key format, and formats never change");
  }
  const overlapping = existing.find((other) => shareText(other, format));
  if (overlapping !== undefined) {
    throw new RequestFault(
      "key_formats_overlap",
      `A key could have this format and ${overlapping.name}; make prefix, lengths or alphabet narrower.`,
    );
  }
  if (existing.length >= FORMATS_MAX) {
    throw new RequestFault("too_many_key_formats", `There are ${FORMATS_MAX} key formats, and no more can be created.`);
  }
}
