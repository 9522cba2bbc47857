import type { ConversationRetention } from "./conversation-store.ts";

const DAY_MS = 86_400_000;

/** Removes a piece of what is older than `days` days at `now`. Returns whether there may be more. */
export function removeOldConversations(retention: ConversationRetention, days: number, now: Date): Promise<boolean> {
  return retention.removeBefore(new Date(now.getTime() - days * DAY_MS));
}
