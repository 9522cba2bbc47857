import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { useCallback, useEffect, useRef, useState } from "react";
import {
  type GetConversationStateResponse,
  GetConversationStateResponseSchema,
} from "../gen/latchkey/v1/gateway_service_pb.ts";
import type { Reply } from "../send-and-wait.ts";
import { useLatchkey } from "./provider.ts";
import { type CallState, type Failure, failureOf, NO_FAILURE, useCall } from "./use-call.ts";

/** A message on its way, from `send` until its reply is there. */
export interface Sending {
  /** For React's `key`. */
  readonly id: number;
  readonly text: string;
}

/** With the message's own id once its reply is there: it is shown as sent until it is among those that are read. */
interface Sent extends Sending {
  readonly messageId?: string;
}

export interface Conversation extends CallState<GetConversationStateResponse> {
  /** Messages that wait for their reply, in the order in which they were sent. */
  readonly sending: readonly Sending[];
  /**
   * Sends a message. Resolves with its reply, or with undefined if there will be none, or the component is gone: why is in
   * `denial` or `error`. It never rejects.
   */
  readonly send: (text: string) => Promise<Reply | undefined>;
}

/** The user's conversation of that name, which the first message creates: before that it has no messages. */
export function useConversation(key: string): Conversation {
  const client = useLatchkey();
  const { denial, error, reload, ...loaded } = useCall(async ({ gateway }, signal) => {
    try {
      return await gateway.getConversationState({ conversationKey: key }, { signal });
    } catch (err) {
      if (!(err instanceof ConnectError && err.code === Code.NotFound)) throw err;
      return create(GetConversationStateResponseSchema, { conversationKey: key });
    }
  }, key);
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const [failure, setFailure] = useState<Failure>(NO_FAILURE);
  const ids = useRef(0);
  const mounted = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    mounted.current = controller;
    setSent([]);
    setFailure(NO_FAILURE);
    return () => controller.abort();
  }, [client, key]);

  const send = useCallback(
    async (text: string) => {
      const { signal } = mounted.current;
      ids.current += 1;
      const id = ids.current;
      setFailure(NO_FAILURE);
      setSent((before) => [...before, { id, text }]);
      try {
        const reply = await client.sendAndWait({ conversationKey: key, text }, { signal });
        const { messageId } = reply;
        setSent((before) => before.map((one) => (one.id === id ? { ...one, messageId } : one)));
        return reply;
      } catch (err) {
        if (signal.aborted) return undefined;
        setSent((before) => before.filter((one) => one.id !== id));
        setFailure(failureOf(err));
        return undefined;
      } finally {
        if (!signal.aborted) reload();
      }
    },
    [client, key, reload],
  );
  const read = new Set(loaded.data?.messages.map(({ messageId }) => messageId));
  const sending = sent.filter(({ messageId }) => messageId === undefined || !read.has(messageId));
  const hasFailed = failure.denial !== undefined || failure.error !== undefined;
  return { ...loaded, ...(hasFailed ? failure : { denial, error }), reload, sending, send };
}
