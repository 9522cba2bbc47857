import type { MessageInitShape } from "@bufbuild/protobuf";
import type { KeyFormatSchema } from "../../gen/latchkey/v1/key_format_pb.ts";
import type {
  CreateKeyFormatRequest,
  DeleteKeyFormatRequest,
  ListKeyFormatsRequest,
} from "../../gen/latchkey/v1/operator_service_pb.ts";
import { createFormat, deleteFormat, type KeyFormatsContext } from "../domain/key-formats/formats.ts";
import type { KeyFormat } from "../domain/key-formats/key-format.ts";
import { type Peppers, pepperProblem } from "../domain/key-formats/peppers.ts";
import { refusePageToken } from "../domain/vocabulary/page.ts";
import type { CallContext } from "../interceptors/call.ts";
import { actOf, setLogTarget } from "./callers.ts";
import { fromKeyFormat, toKeyFormat } from "./key-format-converter.ts";

/** The operator's RPCs about what the keys of other systems look like. */
export function createKeyFormatRpcs(ctx: KeyFormatsContext) {
  return {
    async createKeyFormat(req: CreateKeyFormatRequest, context: CallContext) {
      const format = await createFormat(ctx, fromKeyFormat(req), actOf(context));
      setLogTarget(context, format.name);
      return { result: withProblem(format, ctx.peppers()) };
    },
    async listKeyFormats(req: ListKeyFormatsRequest) {
      refusePageToken(req);
      const { formats } = await ctx.formats.readFormats();
      return { formats: formats.map((format) => withProblem(format, ctx.peppers())) };
    },
    async deleteKeyFormat({ keyFormat }: DeleteKeyFormatRequest, context: CallContext) {
      await deleteFormat(ctx, keyFormat, actOf(context));
      setLogTarget(context, keyFormat);
      return {};
    },
  };
}

function withProblem(format: KeyFormat, peppers: Peppers): MessageInitShape<typeof KeyFormatSchema> {
  const problem = pepperProblem(format, peppers);
  return { ...toKeyFormat(format), ...(problem !== undefined && { problem }) };
}
