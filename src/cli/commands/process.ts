import type { Command } from "commander";

/** `latchkey serve`, `latchkey edge` and `latchkey migrate`, which end the process themselves: with status 1 if they fail. */
export function addProcesses(program: Command): void {
  program
    .command("serve")
    .description("run the service, as npm start does; its configuration is in the environment")
    .action(async () => void (await import("../../main.ts")));
  program
    .command("edge")
    .description("run an edge of the service at EDGE_UPSTREAM, beside programs in any language")
    .action(async () => void (await import("../../app/sidecar/main.ts")));
  program
    .command("migrate")
    .description("bring the schema up to date and end")
    .action(async () => void (await import("../../migrate.ts")));
}
