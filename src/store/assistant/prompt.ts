import type { History } from "../../domain/conversations/conversation.ts";

interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/**
 * A conversation as a model is shown it, in order: its instructions, then user and assistant in turns, the user first. A
 * reply whose question fell out of the history is left out: the templates of many models refuse to begin with one.
 */
export function toPrompt(systemPrompt: string, history: History): PromptMessage[] {
  const turns = history[0]?.role === "assistant" ? history.slice(1) : history;
  const messages = turns.map(({ role, parts }) => ({ role, content: parts.join("\n") }));
  return systemPrompt === "" ? messages : [{ role: "system", content: systemPrompt }, ...messages];
}
