import type { Thread } from "../../../clients/typescript/src/gen/latchkey/v1/conversation_pb.ts";

type ThreadName = Pick<Thread, "threadId" | "conversationKey" | "userId">;

/** The page of a conversation. The service finds a thread by its conversation's name and its id, so the address has both. */
export function conversationPath({ threadId, conversationKey, userId }: ThreadName): string {
  const search = new URLSearchParams({ key: conversationKey, ...(userId !== "" && { user: userId }) });
  return `/conversations/${encodeURIComponent(threadId)}?${search}`;
}
