import type { ChildProcess } from "node:child_process";

const kills = new Set<() => void>();

/** Kills a process that is still there when this one ends: a run that is cut short must leave none behind. */
export function killAtExit(child: ChildProcess, kill: () => void = () => child.kill("SIGKILL")): void {
  // One listener, however many processes there are.
  if (!process.listeners("exit").includes(killAll)) process.on("exit", killAll);
  kills.add(kill);
  child.once("exit", () => kills.delete(kill));
}

function killAll(): void {
  for (const kill of kills) kill();
}
