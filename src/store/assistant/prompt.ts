import type { History } from "../../domain/conversations/conversation.ts";

interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/**
 * The messages for a model, in order: the instructions, then user and assistant alternately, the user first. A reply at
 * the start, whose question is no longer in the history, is left out: the templates of many models reject it there.
 */
export function toPrompt(systemPrompt: string, history: History): PromptMessage[] {
  const alternating = history[0]?.role === "assistant" ? history.slice(1) : history;
  const messages = alternating.map(({ role, parts }) => ({ role, content: parts.join("\n") }));
  return systemPrompt === "" ? messages : [{ role: "system", content: systemPrompt }, ...messages];
}
