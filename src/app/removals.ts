import type { Config } from "../config/config.ts";
import { removeOldConversations } from "../domain/conversations/retention.ts";
import { createConversationRetention } from "../store/sql/conversations/conversation-retention.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import type { Removal } from "../workers/purge-loop.ts";

/** Removes messages that are too old; nothing if they are kept for ever. */
export function conversationRemovals(
  { conversationDays }: Pick<Config, "conversationDays">,
  database: Pick<SqlDatabase, "db">,
): readonly Removal[] {
  if (conversationDays === null) return [];
  const retention = createConversationRetention(database);
  return [(now) => removeOldConversations(retention, conversationDays, now)];
}
