import { Members } from "../members.ts";
import { RowProblem } from "../read-result.ts";
import type { Source, SourceContext, SourceKey } from "../source.ts";
import { ndjson, readOwnMembers } from "./table.ts";

/** Members that describe the key in the deployment that exported it. */
const OF_THE_RECORD = [
  ...["key_id", "updated_at", "last_used_at", "rotated_to", "rotated_from", "created_by", "revoked_by"],
  ...["unknown_permissions", "tenant_suspended", "imported"],
];

/** An export of this service: an `ExportedKey` on each line, which has the key's record and digest. */
export const latchkey: Source = {
  ...ndjson,
  bookkeeping: [...ndjson.bookkeeping, ...OF_THE_RECORD],
  keysOf: (exported) => [flat(exported)],
  read,
};

function flat(exported: Members): Members {
  return exported.isObject("key") ? Members.of({ ...exported.object("key"), ...exported.without("key") }) : exported;
}

function read(members: Members, context: SourceContext): SourceKey {
  const type = members.text("keyType", "key_type");
  if (type !== undefined && type !== "KEY_TYPE_SECRET")
    throw new RowProblem("keyType", "is not KEY_TYPE_SECRET; create publishable keys again");
  const isDisabled = members.text("status") === "KEY_STATUS_DISABLED";
  const key = readOwnMembers(members, context);
  return { ...key, disabled: isDisabled ? true : key.disabled };
}
