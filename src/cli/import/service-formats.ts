import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { KeyFormat as KeyFormatProto, LatchkeyClient } from "../../../clients/typescript/src/index.ts";
import { type CompiledFormats, compileFormats } from "../../domain/key-formats/compiled.ts";
import { ALGORITHMS, ALPHABETS, CASES, HASHED_PARTS, type KeyFormat } from "../../domain/key-formats/key-format.ts";

/** The key formats of the service, without its peppers. Only the operator may read them. */
export async function readFormats({ operator }: LatchkeyClient): Promise<CompiledFormats> {
  const { formats } = await operator.listKeyFormats({});
  return compileFormats({ formats: formats.map(fromProto) }, new Map());
}

function fromProto({ keyFormat, bearer, createdAt, ...format }: KeyFormatProto): KeyFormat {
  return {
    ...format,
    name: keyFormat,
    alphabet: oneOf(ALPHABETS, format.alphabet),
    case: oneOf(CASES, format.case),
    algorithm: oneOf(ALGORITHMS, format.algorithm),
    hashedPart: oneOf(HASHED_PARTS, format.hashedPart),
    pepperFingerprint: "",
    isBearer: bearer,
    createdAt: createdAt === undefined ? new Date(0) : timestampDate(createdAt),
  };
}

function oneOf<Value extends string>(values: readonly Value[], given: string): Value {
  const value = values.find((each) => each === given);
  if (value !== undefined) return value;
  throw new Error(`A key format of the service has ${given}, which this version of latchkey does not know: update it`);
}
