import "../styles/conversations.css";
import { useInfiniteQuery } from "@connectrpc/connect-query";
import { useRef } from "react";
import { useParams, useSearchParams } from "wouter";
import { ConversationStatus } from "../../../clients/typescript/src/gen/latchkey/v1/conversation_pb.ts";
import { GatewayService } from "../../../clients/typescript/src/gen/latchkey/v1/gateway_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Stale } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Notice, Problem } from "../ui/states.tsx";
import { Messages } from "./messages.tsx";
import { turnsOf } from "./turns.ts";

const MESSAGES_MAX = 50;
/** Ms between looks at a conversation that waits for a reply, and at one that does not, while the page is in front. */
const WAITING_LOOK_MS = 3_000;
const IDLE_LOOK_MS = 10_000;

/** One conversation, to read. */
export function ConversationPage() {
  const { threadId = "" } = useParams();
  const [search] = useSearchParams();
  const key = search.get("key") ?? "";
  const user = search.get("user");
  return (
    <>
      <PageHeader
        title={key || "Conversation"}
        back={{ href: "/conversations", label: "All conversations" }}
        text={key !== "" && (user === null ? "Of your backend" : `Of the user ${user}`)}
      />
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
      refetchInterval: ({ state }) =>
        state.data?.pages[0]?.status === ConversationStatus.RUNNING ? WAITING_LOOK_MS : IDLE_LOOK_MS,
    },
  );
  if (data === undefined) {
    return error === null ? (
      <Skeleton what="the conversation" kind="card" rows={5} />
    ) : (
      <Problem error={error} retry={refetch} />
    );
  }
  const showEarlier = async (): Promise<void> => {
    const { hasNextPage: areThereMore } = await fetchNextPage();
    // The button is gone then.
    if (!areThereMore) top.current?.focus();
  };
  return (
    <>
      <Stale error={error} retry={refetch} />
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
