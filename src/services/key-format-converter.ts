import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type { KeyFormatSchema } from "../../gen/latchkey/v1/key_format_pb.ts";
import type { CreateKeyFormatRequest } from "../../gen/latchkey/v1/operator_service_pb.ts";
import type { KeyFormatInput } from "../domain/key-formats/checked-format.ts";
import { ALGORITHMS, ALPHABETS, CASES, HASHED_PARTS, type KeyFormat } from "../domain/key-formats/key-format.ts";
import { invalid } from "../domain/vocabulary/request-fault.ts";
import { toTimestamp } from "./dates.ts";

/** Throws `RequestFault`. */
export function fromKeyFormat(req: Omit<CreateKeyFormatRequest, keyof Message>): KeyFormatInput {
  const { keyFormat: name, prefix, lengthMin, lengthMax, pepper, separator, bearer: isBearer, tenants } = req;
  return {
    ...{ name, prefix, lengthMin, lengthMax, pepper, separator, isBearer, tenants },
    alphabet: oneOf(ALPHABETS, req.alphabet, "alphabet"),
    case: oneOf(CASES, req.case || "AS_SENT", "case"),
    algorithm: oneOf(ALGORITHMS, req.algorithm, "algorithm"),
    hashedPart: oneOf(HASHED_PARTS, req.hashedPart || "WHOLE", "hashed_part"),
  };
}

/** The proto's rules have the same lists. */
function oneOf<Word extends string>(words: readonly Word[], text: string, field: string): Word {
  const known = words.find((word) => word === text);
  if (known === undefined) throw invalid(field, `must be one of ${words.join(", ")}`);
  return known;
}

/** A format without what this process knows about its pepper. */
export function toKeyFormat(format: KeyFormat): MessageInitShape<typeof KeyFormatSchema> {
  const { name: keyFormat, isBearer: bearer, tenants, createdAt, pepperFingerprint: _, ...members } = format;
  return { ...members, keyFormat, bearer, tenants: [...tenants], createdAt: toTimestamp(createdAt) };
}
