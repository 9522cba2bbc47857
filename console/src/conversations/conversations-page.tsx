import "../styles/conversations.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { Thread } from "../../../clients/typescript/src/gen/latchkey/v1/conversation_pb.ts";
import { GatewayService } from "../../../clients/typescript/src/gen/latchkey/v1/gateway_service_pb.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Stale } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { pageOf, withPage } from "../ui/page-parameter.ts";
import { Pages } from "../ui/pages.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { conversationPath } from "./conversation-path.ts";

/** The tenant's conversations with the assistant, latest first. */
export function ConversationsPage() {
  return (
    <>
      <PageHeader title="Conversations" />
      <Threads />
    </>
  );
}

function Threads() {
  const [search, setSearch] = useSearchParams();
  const { data, error, refetch, isPlaceholderData } = useQuery(
    GatewayService.method.listThreads,
    { page: pageOf(search, "page") },
    { placeholderData: keepPreviousData },
  );
  if (data === undefined && error !== null) return <Problem error={error} retry={refetch} />;
  if (data === undefined) return <Skeleton what="the conversations" kind="table" rows={8} />;
  if (data.pagination?.total === 0) return <FirstMessage />;
  return (
    <>
      <Stale error={error} retry={refetch} />
      <ScrollRegion label="Table of conversations">
        <table className="stacked" aria-label="Conversations" aria-busy={isPlaceholderData}>
          <thead>
            <tr>
              <th scope="col">Conversation</th>
              <th scope="col">User</th>
              <th scope="col" className="number">
                Messages
              </th>
              <th scope="col">Latest message</th>
              <th scope="col">Begun</th>
            </tr>
          </thead>
          <tbody>
            {data.threads.map((thread) => (
              <Row key={thread.threadId} thread={thread} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Pages pagination={data.pagination} onPage={(page) => setSearch(withPage(search, "page", page))} />
    </>
  );
}

function Row({ thread }: { thread: Thread }) {
  const { conversationKey, userId, messageCount, createdAt, updatedAt } = thread;
  return (
    <tr>
      <th scope="row">
        <Link className="thread-name" href={conversationPath(thread)}>
          <bdi>{conversationKey}</bdi>
        </Link>
      </th>
      <td className="thread-user" data-label="User">
        {userId === "" ? <span className="quiet">your backend</span> : <bdi>{userId}</bdi>}
      </td>
      <td className="number" data-label="Messages">
        {messageCount.toLocaleString("en")}
      </td>
      <td data-label="Latest">
        <Time at={updatedAt} />
      </td>
      <td data-label="Begun">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

const FIRST_MESSAGE = {
  conversation_key: "first",
  user_message: { role: "ROLE_USER", content: [{ type: "CONTENT_PART_TYPE_TEXT", content: "Hello!" }] },
};

function FirstMessage() {
  const lines = [
    `curl ${location.origin}/api/v1/llm/gateway/send-message`,
    "  -H 'Content-Type: application/json'",
    '  -H "x-api-key: $LATCHKEY_KEY"',
    `  -d '${JSON.stringify(FIRST_MESSAGE)}'`,
  ];
  return (
    <EmptyState title="No conversations yet">
      <p>A conversation begins with its first message. Send one with a key that has the scope conversations:write:</p>
      <pre className="command">{lines.join(" \\\n")}</pre>
    </EmptyState>
  );
}
