import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { EdgeStatus } from "../../src/edge/edge.ts";
import { killAtExit } from "../servers/kill-at-exit.ts";
import type { Reply, Seen } from "./store-process.ts";

export type EdgeCommand =
  | { readonly verb: "verify" | "watch"; readonly keys: readonly string[] }
  | { readonly verb: "seen" | "status" | "stand" | "go on" };

export type EdgeAsk = EdgeCommand & { readonly id: number };

/** An edge in a process of its own. */
export interface EdgeProcess {
  /** What it decides on each key: `admitted`, the reason of a denial, or `asked`, where the service would have to decide. */
  verify(keys: readonly string[]): Promise<readonly string[]>;
  /** Verifies the keys again and again from now on. */
  watch(keys: readonly string[]): Promise<void>;
  /** Stops that, and returns what it found of each key. */
  seen(keys: readonly string[]): Promise<readonly Seen[]>;
  status(): Promise<EdgeStatus>;
  /** Its monotonic clock stands until `goOn`, as in a machine that is suspended. */
  stand(): Promise<void>;
  goOn(): Promise<void>;
  /** Stops the process (SIGSTOP), and continues it. */
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
}

export async function startEdgeProcess(baseUrl: string): Promise<EdgeProcess> {
  const child = fork(fileURLToPath(new URL("fixtures/edge-process.ts", import.meta.url)), [baseUrl]);
  killAtExit(child);
  const ended = once(child, "exit");
  const ask = asking(child, ended);
  await ask({ verb: "status" });
  return {
    verify: async (keys) => (await ask({ verb: "verify", keys })) as string[],
    watch: async (keys) => void (await ask({ verb: "watch", keys })),
    async seen(keys) {
      const seen = new Map((await ask({ verb: "seen" })) as [string, Seen][]);
      return keys.map((key) => {
        const found = seen.get(key);
        if (found === undefined) throw new Error("a key was not watched");
        return found;
      });
    },
    status: async () => (await ask({ verb: "status" })) as EdgeStatus,
    stand: async () => void (await ask({ verb: "stand" })),
    goOn: async () => void (await ask({ verb: "go on" })),
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function asking(child: ChildProcess, ended: Promise<unknown>): (command: EdgeCommand) => Promise<unknown> {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  void ended.then(() => {
    for (const { reject } of open.values()) reject(new Error("the process is gone"));
  });
  child.on("message", ({ id, error, value }: Reply) => {
    if (error === undefined) open.get(id)?.resolve(value);
    else open.get(id)?.reject(new Error(error));
    open.delete(id);
  });
  return (command) => {
    lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    open.set(lastId, answer);
    child.send({ id: lastId, ...command } satisfies EdgeAsk);
    return answer.promise;
  };
}
