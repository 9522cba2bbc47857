import "../styles/conversations.css";
import { useInfiniteQuery } from "@connectrpc/connect-query";
import { useRef } from "react";
import { Link, useParams, useSearchParams } from "wouter";
import { ConversationStatus } from "../../../clients/typescript/src/gen/latchkey/v1/conversation_pb.ts";
import { GatewayService } from "../../../clients/typescript/src/gen/latchkey/v1/gateway_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Loading, Notice, Problem } from "../ui/states.tsx";
import { Messages } from "./messages.tsx";
import { turnsOf } from "./turns.ts";

const MESSAGES_MAX = 50;
/** Ms between looks at a conversation that waits for a reply. */
const LOOK_MS = 3_000;

/** One conversation, to read. */
export function ConversationPage() {
  const { threadId = "" } = useParams();
  const [search] = useSearchParams();
  const key = search.get("key") ?? "";
  const user = search.get("user");
  return (
    <>
      <div className="conversation-heading">
        <Link href="/conversations">All conversations</Link>
        <h1>{key || "Conversation"}</h1>
        {key !== "" && <p className="quiet">{user === null ? "Of your backend" : `Of the user ${user}`}</p>}
      </div>
      {key === "" ? (
        <Notice kind="warn">
          This address lacks the conversation's name. Open the conversation from the list of all.
        </Notice>
      ) : (
        <Conversation threadId={threadId} conversationKey={key} />
      )}
    </>
  );
}

function Conversation({ threadId, conversationKey }: { threadId: string; conversationKey: string }) {
  const top = useRef<HTMLDivElement>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    GatewayService.method.getConversationState,
    { threadId, conversationKey, messagesMax: MESSAGES_MAX, beforeMessageId: "" },
    {
      pageParamKey: "beforeMessageId",
      getNextPageParam: ({ nextBeforeMessageId }) => nextBeforeMessageId,
      refetchInterval: ({ state }) => (state.data?.pages[0]?.status === ConversationStatus.RUNNING ? LOOK_MS : false),
    },
  );
  if (data === undefined) {
    return error === null ? <Loading what="the conversation" /> : <Problem error={error} retry={refetch} />;
  }
  const showEarlier = async (): Promise<void> => {
    const { hasNextPage: areThereMore } = await fetchNextPage();
    // The button is gone then.
    if (!areThereMore) top.current?.focus();
  };
  return (
    <>
      {error && <Problem error={error} retry={refetch} />}
      {hasNextPage && (
        <div>
          <Button busy={isFetchingNextPage} onClick={() => void showEarlier()}>
            Show earlier messages
          </Button>
        </div>
      )}
      <div className="conversation" ref={top} tabIndex={-1}>
        <Messages turns={turnsOf(data.pages)} />
      </div>
    </>
  );
}
