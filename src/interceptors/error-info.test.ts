import { isFieldSet } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ErrorInfoSchema, ErrorReason } from "../../gen/latchkey/v1/error_reason_pb.ts";
import { errorInfo } from "./error-info.ts";

test("the detail of an error has its member at fault, if it is a single one", () => {
  const field = ErrorInfoSchema.field.field;
  expect(errorInfo("key_not_found", "key_id")).toMatchObject({ reason: ErrorReason.KEY_NOT_FOUND, field: "key_id" });
  expect(isFieldSet(errorInfo("key_not_found", "key_id"), field)).toBe(true);
  expect(isFieldSet(errorInfo("internal"), field)).toBe(false);
});
