import { CommanderError } from "commander";
import { EXIT_STATUS, failureOf } from "./exit-status.ts";
import { printable } from "./output/printable.ts";
import { processTerminal } from "./output/terminal.ts";
import { withoutCredentials } from "./output/without-secrets.ts";
import { createProgram } from "./program.ts";

/** `latchkey`: one command, then the end of the process with its exit status. */
const terminal = processTerminal();
process.stdout.on("error", (err: NodeJS.ErrnoException) => {
  // A program that reads no further, such as `head`, gets no reason.
  if (err.code !== "EPIPE") terminal.note(`latchkey: stdout: ${err.message}\n`);
  process.exit(EXIT_STATUS.failed);
});
const program = createProgram({ env: process.env, terminal });
try {
  await program.parseAsync();
} catch (err) {
  if (err instanceof CommanderError) {
    // Commander has printed what is wrong, or the help that was asked for.
    process.exitCode = err.exitCode === 0 ? EXIT_STATUS.done : EXIT_STATUS.usage;
  } else {
    const isJson = program.opts<{ json?: true }>().json === true;
    const { status, text } = failureOf(err, isJson);
    terminal.note(`${text.startsWith("{") ? "" : "latchkey: "}${printable(withoutCredentials(text))}\n`);
    process.exitCode = status;
  }
}
