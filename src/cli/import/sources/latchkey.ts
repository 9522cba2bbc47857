import { Members } from "../members.ts";
import type { Source, SourceContext, SourceKey } from "../source.ts";
import { ndjson, readOwnMembers } from "./table.ts";

/** Members that describe the key in the deployment that exported it. */
const OF_THE_RECORD = [
  ...["key_id", "updated_at", "last_used_at", "rotated_to", "rotated_from", "created_by", "revoked_by"],
  ...["unknown_permissions", "tenant_suspended", "imported", "leaked_at", "leak_url", "leak_source"],
];
/** Members of the file of refused rows beside the row. */
const OF_REFUSED_ROWS = ["line", "refused"];

/** What this program writes: an `ExportedKey` on each line, which has the key's record and digest, or a row that was refused. */
export const latchkey: Source = {
  ...ndjson,
  bookkeeping: [...OF_THE_RECORD, ...OF_REFUSED_ROWS],
  hasOwnKeys: true,
  keysOf: (exported) => [flat(exported)],
  read,
};

function flat(exported: Members): Members {
  return exported.isObject("key") ? Members.of({ ...exported.object("key"), ...exported.without("key") }) : exported;
}

function read(members: Members, context: SourceContext): SourceKey {
  const isDisabled = members.text("status") === "KEY_STATUS_DISABLED";
  const key = readOwnMembers(members, context);
  return {
    ...key,
    disabled: isDisabled ? true : key.disabled,
    keyType: members.text("keyType", "key_type"),
    publishableConfig: members.object("publishableConfig", "publishable_config"),
    allowed_origins: members.texts("allowed_origins"),
  };
}
