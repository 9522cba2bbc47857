import { ConversationStatus } from "../../gen/latchkey/v1/conversation_pb.ts";
import type { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { actingUser } from "../domain/access/acting-user.ts";
import { requireTenant } from "../domain/access/authorize.ts";
import type { Principal } from "../domain/access/principal.ts";
import type { ConversationScope } from "../domain/conversations/conversation.ts";
import type { ConversationStore, RunEnds } from "../domain/conversations/conversation-store.ts";
import { isEnded, readConversation } from "../domain/conversations/read.ts";
import { sendMessage } from "../domain/conversations/send.ts";
import { askedPage } from "../domain/vocabulary/page.ts";
import { principalOf, type UnaryImpl } from "../interceptors/call.ts";
import { toMessage, toRun, toThread } from "./conversation-converter.ts";
import { toPlace } from "./pagination.ts";

export interface GatewayContext {
  readonly conversations: ConversationStore;
  readonly runEnds: RunEnds;
  /** Wakes the run loop, because there is work. */
  readonly wakeRunLoop: () => void;
}

export function createGatewayService(ctx: GatewayContext): UnaryImpl<typeof GatewayService> {
  return {
    async listThreads(req, context) {
      const page = askedPage(req);
      const { items, total } = await ctx.conversations.listThreads(scopeOf(principalOf(context.values)), page);
      return { threads: items.map(toThread), ...toPlace(page, total) };
    },

    async sendMessage(req, context) {
      const principal = principalOf(context.values);
      const tenantId = requireTenant(principal);
      const userId = actingUser(principal);
      const { conversationKey } = req;
      const parts = (req.userMessage?.content ?? []).map(({ content }) => content);
      const clientMessageId = req.clientMessageId || null;
      const command = { tenantId, userId, conversationKey, parts, clientMessageId };
      const { runId, messageId } = await sendMessage(ctx, command);
      ctx.wakeRunLoop();
      return { runId, messageId, conversationKey };
    },

    async getConversationState(req, context) {
      const { conversationKey, waitMs, messagesMax } = req;
      const threadId = req.threadId || null;
      const beforeMessageId = req.beforeMessageId || null;
      const command = { conversationKey, threadId, waitMs, messagesMax, beforeMessageId };
      const state = await readConversation(ctx, scopeOf(principalOf(context.values)), command, context.signal);
      return {
        conversationKey: state.conversationKey,
        status: isEnded(state.latestRun.status) ? ConversationStatus.IDLE : ConversationStatus.RUNNING,
        messages: state.messages.map(toMessage),
        run: toRun(state.latestRun),
        ...(state.hasEarlierMessages && { nextBeforeMessageId: state.messages[0]?.messageId ?? "" }),
      };
    },
  };
}

/** The conversations that the caller sees. A caller that acts for no user sees all of the tenant's. */
function scopeOf(principal: Principal): ConversationScope {
  const tenantId = requireTenant(principal);
  const userId = actingUser(principal);
  return userId === null ? { kind: "tenant", tenantId } : { kind: "user", tenantId, userId };
}
