import { faultOf, invalid } from "../vocabulary/request-fault.ts";
import { hasPepper, type KeyFormat, secretCharsMin, UUID_CHARS } from "./key-format.ts";
import { fingerprintOf, type Peppers } from "./peppers.ts";

/** A format to create, as the operator describes it. */
export type KeyFormatInput = Omit<KeyFormat, "pepperFingerprint" | "createdAt">;

/** A format with the fingerprint of its pepper. */
export type CheckedFormat = Omit<KeyFormat, "createdAt">;

/** Checks what the members of a format mean together; the proto bounds each of them. Throws `RequestFault`. */
export function checkedFormat(input: KeyFormatInput, peppers: Peppers): CheckedFormat {
  checkLengths(input);
  checkCase(input);
  checkHashedPart(input);
  return { ...input, tenants: [...new Set(input.tenants)], pepperFingerprint: fingerprint(input, peppers) };
}

function checkLengths(input: KeyFormatInput): void {
  const { lengthMin, lengthMax, prefix, alphabet, algorithm } = input;
  if (lengthMin > lengthMax) throw invalid("length_max", "must be at least length_min");
  const uuid = prefix.length + UUID_CHARS;
  if (alphabet === "UUID" && (lengthMin !== uuid || lengthMax !== uuid)) {
    throw invalid("length_min", `must be ${uuid}, as length_max, for the prefix and a UUID of 36 characters`);
  }
  const least = prefix.length + secretCharsMin(input);
  if (lengthMin < least) {
    throw invalid(
      "length_min",
      `must be at least ${least}: keys of ${algorithm} need ${least - prefix.length} characters of ${alphabet} behind the prefix, because a shorter key can be found by its digest`,
    );
  }
}

function checkCase({ case: of, alphabet, prefix }: KeyFormatInput): void {
  if (of === "AS_SENT") return;
  if (alphabet !== "HEX" && alphabet !== "UUID")
    throw invalid("case", "must be AS_SENT unless alphabet is HEX or UUID");
  if (/[A-Z]/.test(prefix)) throw invalid("prefix", "must have no capital letters where case is LOWER");
}

function checkHashedPart({ hashedPart, separator, alphabet }: KeyFormatInput): void {
  if (hashedPart === "WHOLE") {
    if (separator !== "") throw invalid("separator", "is only for hashed_part AFTER_LAST; leave it out");
    return;
  }
  if (separator === "") throw faultOf("required", "separator", "is required where hashed_part is AFTER_LAST");
  if (alphabet === "UUID") throw invalid("hashed_part", "must be WHOLE where alphabet is UUID");
}

function fingerprint({ algorithm, pepper }: KeyFormatInput, peppers: Peppers): string {
  if (!hasPepper(algorithm)) {
    if (pepper !== "") throw invalid("pepper", `is not for ${algorithm}, which hashes without one; leave it out`);
    return "";
  }
  if (pepper === "") throw faultOf("required", "pepper", `is required for ${algorithm}: its name in KEY_PEPPERS_FILE`);
  const secret = peppers.get(pepper);
  if (secret === undefined) throw invalid("pepper", "is not in KEY_PEPPERS_FILE; add it to that file of every process");
  return fingerprintOf(secret);
}
