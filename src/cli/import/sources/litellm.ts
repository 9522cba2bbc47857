import type { InstantForm } from "../instant.ts";
import type { Members } from "../members.ts";
import { RowProblem } from "../read-result.ts";
import type { Source, SourceKey } from "../source.ts";

/** Prisma stores times without a zone, in UTC. */
const TIMESTAMP: InstantForm = { isUtc: true };
const DIGEST = /^[0-9a-f]{64}$/;

/** The table `LiteLLM_VerificationToken` of LiteLLM, as JSON or CSV, or pages of `/key/list?return_full_object=true`. */
export const litellm: Source = {
  columns: ["token"],
  lists: new Set(["keys"]),
  bookkeeping: [
    ...["updated_at", "updated_by", "settings_updated_at", "created_by", "last_active", "key_name", "key_type"],
    ...["last_rotation_at", "rotation_count", "budget_reset_at", "soft_budget_cooldown", "model_spend"],
  ],
  read,
  isPartial: (page) => (page.count("current_page") ?? 1) < (page.count("total_pages") ?? 1),
};

function read(members: Members): SourceKey {
  const token = members.text("token");
  if (token === undefined) throw new RowProblem("token", "is missing");
  if (!DIGEST.test(token))
    throw new RowProblem("token", "is not a digest; LiteLLM stores keys that do not begin with sk- as they are");
  const perMinute = members.count("rpm_limit");
  const team = members.text("team_id");
  return {
    secret: { kind: "digest", member: "token", digest: token, algorithm: "SHA256" },
    scopes: ["scopes", []],
    team: team === undefined ? undefined : ["team_id", team],
    // `key_name` is sk-... and the key's last characters. A key begins with sk-, or LiteLLM refuses it.
    key_prefix: "sk-",
    name: members.text("key_alias") ?? members.text("key_name"),
    rate_limit: perMinute ? { requests_per_minute: perMinute } : undefined,
    expires_at: members.instant(TIMESTAMP, "expires"),
    created_at: members.instant(TIMESTAMP, "created_at"),
    external_id: members.text("user_id"),
    metadata: members.object("metadata"),
    disabled: members.flag("blocked") === true ? true : undefined,
  };
}
