import { Role } from "../../../clients/typescript/src/gen/latchkey/v1/conversation_pb.ts";
import { Time } from "../ui/time.tsx";
import type { Turn } from "./turns.ts";

/** Messages in order. Their text is shown as it was sent: never as HTML, nor as links. */
export function Messages({ turns }: { turns: readonly Turn[] }) {
  return (
    <ol className="messages" aria-label="Messages">
      {turns.map((turn) => (
        <MessageItem key={turn.message.messageId} turn={turn} />
      ))}
    </ol>
  );
}

function MessageItem({ turn: { message, outcome } }: { turn: Turn }) {
  const isUser = message.role === Role.USER;
  return (
    <li className={isUser ? "message" : "message message-reply"}>
      <p className="message-head">
        <strong>{isUser ? "User" : "Assistant"}</strong>{" "}
        <span className="quiet">
          <Time at={message.createdAt} />
        </span>
      </p>
      {message.content.map(({ content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a stored message never change
        <p key={index} className="message-text">
          {content}
        </p>
      ))}
      {outcome && (
        <p className={`message-outcome badge-${outcome.kind === "failed" ? "bad" : "warn"}`}>{outcome.sentence}</p>
      )}
    </li>
  );
}
