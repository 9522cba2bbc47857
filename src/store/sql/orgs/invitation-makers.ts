import type { Kysely } from "kysely";
import type { UserTarget } from "../../../domain/erasures/erasure.ts";
import type { Invitation, MakerState } from "../../../domain/orgs/invitation.ts";
import type { UserKey } from "../../../domain/tokens/user-key.ts";
import type { SqlNow } from "../driver/now.ts";
import type { Schema } from "../schema.ts";

/** A member of an organization who has made invitations to it, removed or not. */
interface MakerRow {
  readonly issuer: string;
  readonly user_id: string;
  readonly role: string;
  readonly removed_at: Date | null;
}

/** The members, also removed ones, that have made these invitations of an organization. */
export async function findMakers(
  db: Kysely<Schema>,
  orgId: string,
  invitations: readonly Invitation[],
): Promise<readonly MakerRow[]> {
  const ids = [...new Set(invitations.flatMap(({ maker }) => maker?.userId ?? []))];
  if (ids.length === 0) return [];
  return db
    .selectFrom("org_members")
    .select(["issuer", "user_id", "role", "removed_at"])
    .where("org_id", "=", orgId)
    .where("user_id", "in", ids)
    .execute();
}

export function makerIn(rows: readonly MakerRow[], { maker }: Invitation): MakerState {
  const own = rows.filter(({ user_id, issuer }) => user_id === maker?.userId && issuer === maker.issuer);
  const active = own.find(({ removed_at }) => removed_at === null);
  if (active !== undefined) return { kind: "member", role: active.role };
  return { kind: own.length > 0 ? "removed" : "stranger" };
}

/** Ends what a removed member has made and others have not accepted. A membership that comes later does not bring it back. */
export async function endInvitationsOf(trx: Kysely<Schema>, orgId: string, maker: UserKey, now: SqlNow): Promise<void> {
  await trx
    .updateTable("org_invitations")
    .set({ ended_at: now() })
    .where("org_id", "=", orgId)
    .where("maker_id", "=", maker.userId)
    .where("maker_issuer", "=", maker.issuer)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("ended_at", "is", null)
    .execute();
}

/** Removes the maker's name from their invitations: those that are open end by that. `issuer` null: of every issuer. */
export async function forgetMaker(
  trx: Kysely<Schema>,
  orgId: string,
  { userId, issuer }: Pick<UserTarget, "userId" | "issuer">,
): Promise<void> {
  await trx
    .updateTable("org_invitations")
    .set({ maker_issuer: null, maker_id: null, maker_role: null })
    .where("org_id", "=", orgId)
    .where("maker_id", "=", userId)
    .$if(issuer !== null, (query) => query.where("maker_issuer", "=", issuer))
    .execute();
}
