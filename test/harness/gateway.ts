import type { Answer, JsonObject } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

const GATEWAY = "/api/v1/llm/gateway";

/** The gateway as one caller sees it. */
export interface GatewayCaller {
  /** Sends a text, or a message as it is given. */
  send(key: string, message: string | JsonObject, fields?: object): Promise<Answer>;
  state(key: string, fields?: object): Promise<Answer>;
  /** The texts of a conversation once nothing in it is unfinished. */
  texts(key: string, fields?: object): Promise<string[]>;
  threads(page?: object): Promise<JsonObject>;
}

export function gatewayCaller(latchkey: Latchkey, headers: Record<string, string>): GatewayCaller {
  const state = (key: string, fields: object = {}) =>
    latchkey.call(`${GATEWAY}/get-conversation-state`, { conversation_key: key, ...fields }, headers);
  return {
    send(key, message, fields = {}) {
      const user_message = typeof message === "string" ? textMessage(message) : message;
      return latchkey.call(`${GATEWAY}/send-message`, { conversation_key: key, user_message, ...fields }, headers);
    },
    state,
    texts: async (key, fields = {}) => textsOf((await state(key, { wait_ms: 20_000, ...fields })).json),
    threads: async (page = {}) => (await latchkey.call(`${GATEWAY}/list-threads`, page, headers)).json,
  };
}

/** A user's message with a part for each text. */
export function textMessage(...texts: string[]): JsonObject {
  return { role: "ROLE_USER", content: texts.map((content) => ({ type: "CONTENT_PART_TYPE_TEXT", content })) };
}

export function textsOf({ messages }: JsonObject): string[] {
  return messages.map((message: JsonObject) => message.content[0].content);
}

/** A secret key of one tenant that may act for users: by itself and for them. */
export async function backendOf(latchkey: Latchkey, dashboard: Record<string, string>) {
  const { key } = await latchkey.createKey(dashboard, { permissions: ["conversations:*", "users:impersonate"] });
  return {
    bare: gatewayCaller(latchkey, { "x-api-key": key }),
    as: (user: string) => gatewayCaller(latchkey, { "x-api-key": key, "x-on-behalf-of": user }),
  };
}
