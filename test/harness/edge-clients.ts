import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { onTestFinished } from "vitest";
import {
  type Drop,
  EdgeService,
  type EdgeSettings,
  type FollowRequest,
  type Lease,
  type Slice,
  type Welcome,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import { createChannel } from "../../src/domain/edges/channel.ts";
import { EDGE_TOKEN } from "./edges.ts";

type Headers = Readonly<Record<string, string>>;
type Message = FollowRequest["message"];
type Init = Message extends infer One
  ? One extends { case: infer Case extends string; value: infer Value }
    ? { readonly message: { readonly case: Case; readonly value: Omit<Value, "$typeName"> } }
    : never
  : never;

/** What a replica sends, by its kind. */
interface Answers {
  readonly welcome: Welcome;
  readonly lease: Lease;
  readonly drop: Drop;
  readonly slice: Slice;
}

export const AS_EDGE: Headers = { authorization: `Bearer ${EDGE_TOKEN}` };

/** A client of the service that edges have, which need not keep to the protocol. */
export function edgeClient(baseUrl: string): Client<typeof EdgeService> {
  return createClient(EdgeService, createGrpcTransport({ baseUrl }));
}

/** A stream whose messages a test sends and reads one by one. */
export interface RawFollower {
  readonly edgeId: string;
  readonly settings: EdgeSettings | undefined;
  send(message: Init["message"]): void;
  /** The next message of a kind; others are passed over. Undefined: the stream has ended. */
  next<Kind extends keyof Answers>(kind: Kind): Promise<Answers[Kind] | undefined>;
}

/** Follows, and says and hears what the test wants. Ends with the test. */
export async function followRaw(client: Client<typeof EdgeService>, headers: Headers = AS_EDGE): Promise<RawFollower> {
  const channel = createChannel<Init>();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const responses = client.follow(channel.messages, { headers, signal: ending.signal })[Symbol.asyncIterator]();
  async function next<Kind extends keyof Answers>(kind: Kind): Promise<Answers[Kind] | undefined> {
    for (;;) {
      const { value, done } = await responses.next();
      if (done === true) {
        channel.end();
        return undefined;
      }
      // The case says which value it is.
      if (value.message.case === kind) return value.message.value as Answers[Kind];
    }
  }
  channel.put({ message: { case: "askLease", value: { number: 0n } } });
  const welcome = await next("welcome");
  if (welcome === undefined) throw new Error("no welcome");
  return {
    edgeId: welcome.edgeId,
    settings: welcome.settings,
    send: (message) => channel.put({ message } as Init),
    next,
  };
}
