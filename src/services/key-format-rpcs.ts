import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type { KeyFormatSchema } from "../../gen/latchkey/v1/key_format_pb.ts";
import type {
  CreateKeyFormatRequest,
  DeleteKeyFormatRequest,
  ListKeyFormatsRequest,
} from "../../gen/latchkey/v1/operator_service_pb.ts";
import type { KeyFormatInput } from "../domain/key-formats/checked-format.ts";
import { createFormat, deleteFormat, type KeyFormatsContext } from "../domain/key-formats/formats.ts";
import { ALGORITHMS, ALPHABETS, CASES, HASHED_PARTS, type KeyFormat } from "../domain/key-formats/key-format.ts";
import { type Peppers, pepperProblem } from "../domain/key-formats/peppers.ts";
import { refusePageToken } from "../domain/vocabulary/page.ts";
import { invalid } from "../domain/vocabulary/request-fault.ts";
import type { CallContext } from "../interceptors/call.ts";
import { actOf, setLogTarget } from "./callers.ts";
import { toTimestamp } from "./dates.ts";

/** The operator's RPCs about what the keys of other systems look like. */
export function createKeyFormatRpcs(ctx: KeyFormatsContext) {
  return {
    async createKeyFormat(req: CreateKeyFormatRequest, context: CallContext) {
      const format = await createFormat(ctx, fromKeyFormat(req), actOf(context));
      setLogTarget(context, format.name);
      return { result: toKeyFormat(format, ctx.peppers()) };
    },
    async listKeyFormats(req: ListKeyFormatsRequest) {
      refusePageToken(req);
      const { formats } = await ctx.formats.readFormats();
      return { formats: formats.map((format) => toKeyFormat(format, ctx.peppers())) };
    },
    async deleteKeyFormat({ keyFormat }: DeleteKeyFormatRequest, context: CallContext) {
      await deleteFormat(ctx, keyFormat, actOf(context));
      setLogTarget(context, keyFormat);
      return {};
    },
  };
}

function fromKeyFormat(req: Omit<CreateKeyFormatRequest, keyof Message>): KeyFormatInput {
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

function toKeyFormat(format: KeyFormat, peppers: Peppers): MessageInitShape<typeof KeyFormatSchema> {
  const { name: keyFormat, isBearer: bearer, tenants, createdAt, pepperFingerprint: _, ...members } = format;
  const problem = pepperProblem(format, peppers);
  return {
    ...{ ...members, keyFormat, bearer, tenants: [...tenants] },
    createdAt: toTimestamp(createdAt),
    ...(problem !== undefined && { problem }),
  };
}
