import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Command, Reply, RequestSet, Run, RunResult } from "./messages.ts";

/** The load generator, a process of its own so that nothing of this one disturbs its clock. */
export interface LoadGenerator {
  load(set: RequestSet): Promise<void>;
  run(run: Run): Promise<RunResult>;
  stop(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL("./generator.ts", import.meta.url)), { serialization: "advanced" });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);

  /** One command at a time, so that the next message is its reply. */
  function send(command: Command): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const end = (status: number | null) => reject(new Error(`the load generator ended with status ${status}`));
      child.once("exit", end);
      child.once("message", (reply: Reply) => {
        child.off("exit", end);
        if ("error" in reply) reject(new Error(`load: ${reply.error}`));
        else resolve(reply);
      });
      child.send(command);
    });
  }

  return {
    load: async (load) => void (await send({ load })),
    async run(run) {
      const reply = await send({ run });
      if (!("result" in reply)) throw new Error("the load generator answered something else than a result");
      return reply.result;
    },
    stop() {
      process.off("exit", kill);
      kill();
    },
  };
}
