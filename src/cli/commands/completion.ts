import { Argument, type Command } from "commander";
import { bashCompletion } from "../completion/bash.ts";
import { zshCompletion } from "../completion/zsh.ts";
import type { Terminal } from "../output/terminal.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion } as const;

/** `latchkey completion`: a script for the shell. */
export function addCompletion(program: Command, { out }: Terminal): void {
  program
    .command("completion")
    .description("print the script that completes commands: source <(latchkey completion bash)")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS) => out(SHELLS[shell](program)));
}
