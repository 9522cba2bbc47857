import type { Command } from "commander";

const TOKEN = "token";

/** `latchkey dev` and `latchkey dev token`. */
export function addDev(program: Command): void {
  const dev = program
    .command("dev")
    .description("run a development server in this folder: with a database, an identity provider, two tenants and keys")
    .action(async () => (await import("../../dev/server.ts")).runDevServer(`npx latchkey dev ${TOKEN}`));
  dev
    .command(TOKEN)
    .description("print a token of any user that the development server accepts")
    .usage("[options]")
    .argument("[options...]")
    // It has a parser of its own, with what only the development server needs.
    .helpOption(false)
    .allowUnknownOption()
    .action(async (options: readonly string[]) => {
      const { createTokenCommand } = await import("../../dev/token-command.ts");
      await createTokenCommand(`latchkey dev ${TOKEN}`).parseAsync(options, { from: "user" });
    });
}
