import type { History } from "../../domain/conversations/conversation.ts";

interface PromptMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/**
 * A conversation as a model is shown it, in order: its instructions, then user and assistant in turns, the user first.
 *
 * Several messages of the user's in a row, as failed runs leave them, become one, and a reply whose question fell out of
 * the history is left out: the templates of many models refuse anything else, and would refuse it at each later message.
 */
export function toPrompt(systemPrompt: string, history: History): PromptMessage[] {
  const turns: PromptMessage[] = [];
  for (const { role, parts } of history) {
    const content = parts.join("\n");
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n${content}`;
    else if (last !== undefined || role === "user") turns.push({ role, content });
  }
  return systemPrompt === "" ? turns : [{ role: "system", content: systemPrompt }, ...turns];
}
