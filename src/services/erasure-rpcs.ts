import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ErasureSchema, OperatorService } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { type EraseContext, eraseTenant, eraseUser } from "../domain/erasures/erase.ts";
import type { ErasedKind, Erasure } from "../domain/erasures/erasure.ts";
import type { UnaryImpl } from "../interceptors/call.ts";
import { actOf, setLogTarget } from "./callers.ts";

/** The part of the operator's service that erases. */
export function createErasureRpcs(
  ctx: EraseContext,
): Pick<UnaryImpl<typeof OperatorService>, "eraseUser" | "eraseTenant"> {
  return {
    async eraseUser({ tenantId, userId, issuer }, context) {
      const user = { tenantId, userId, issuer: issuer ?? null };
      const erasure = await eraseUser(ctx, user, actOf(context), context.signal);
      setLogTarget(context, userId);
      return { result: toErasure(erasure, tenantId, userId) };
    },
    async eraseTenant({ tenantId }, context) {
      const erasure = await eraseTenant(ctx, tenantId, actOf(context), context.signal);
      setLogTarget(context, tenantId);
      return { result: toErasure(erasure, tenantId, "") };
    },
  };
}

function toErasure(
  { erasureId, isFinished, removed }: Erasure,
  tenantId: string,
  userId: string,
): MessageInitShape<typeof ErasureSchema> {
  const count = (kind: ErasedKind): number => removed[kind] ?? 0;
  return {
    erasureId,
    tenantId,
    userId,
    finished: isFinished,
    removed: {
      conversations: count("conversations"),
      runs: count("runs"),
      messages: count("messages"),
      clientMessageIds: count("client_message_ids"),
      members: count("members"),
      invitations: count("invitations"),
      clientOrgIds: count("client_org_ids"),
      orgNames: count("org_names"),
      keys: count("keys"),
      keyActors: count("key_actors"),
      keyUsage: count("key_usage"),
      requests: count("requests"),
      webhooks: count("webhooks"),
      webhookEvents: count("webhook_events"),
      accessTokens: count("access_tokens"),
      federationRules: count("federation_rules"),
    },
  };
}
