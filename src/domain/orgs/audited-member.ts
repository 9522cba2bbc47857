import type { Audited } from "../audit/changes.ts";
import type { Member } from "./org.ts";

/** A member as the audit trail compares them: without the email address, because no event can be erased. */
export function auditedMember({ userId, issuer, role }: Pick<Member, "issuer" | "userId" | "role">): Audited {
  return { user_id: userId, issuer, role };
}
