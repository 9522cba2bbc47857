import type { Assistant } from "../../domain/conversations/assistant.ts";

/**
 * The assistant where no model is configured: it repeats the user's message, so that a new installation shows a reply.
 */
export const echoAssistant: Assistant = {
  reads: { messages: 1, bytes: 65_536 },
  async reply(history) {
    const latest = history.findLast((message) => message.role === "user");
    return { text: `You said: ${(latest?.parts ?? []).join("\n")}`, usage: null, finishReason: "stop" };
  },
};
