import type { Assistant } from "../../domain/ports/assistant.ts";

/** The assistant of an installation that has no model configured: it repeats the user, so that a newcomer sees a reply. */
export const echoAssistant: Assistant = {
  reads: { messages: 1, bytes: 65_536 },
  async reply(history) {
    const latest = history.findLast((message) => message.role === "user");
    return { text: `You said: ${(latest?.parts ?? []).join("\n")}`, usage: null };
  },
};
