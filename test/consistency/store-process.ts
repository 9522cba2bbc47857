import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { Verification, Watched } from "./observations.ts";
import type { Changed, StoresOptions, Verb, Verifier } from "./stores.ts";

export interface Ask {
  readonly id: number;
  readonly verb: "verify" | "watch" | "unwatch" | Verb;
  readonly key: NewKey;
}

export interface Answer {
  readonly id: number;
  readonly error?: string;
  readonly result?: unknown;
}

/** A process with the stores of a replica and nothing else. */
export interface StoreProcess extends Verifier {
  stop(): Promise<void>;
}

export async function startStoreProcess(options: StoresOptions): Promise<StoreProcess> {
  const file = fileURLToPath(new URL("fixtures/store-process.ts", import.meta.url));
  const child = fork(file, [JSON.stringify(options)], { serialization: "advanced" });
  // A test run that is cut short must not leave processes behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(child, "exit").then(() => process.off("exit", kill));
  const open = new Map<number, { resolve: (answer: Answer) => void; reject: (err: Error) => void }>();
  let lastId = 0;
  ended.then(() => {
    for (const { reject } of open.values()) reject(new Error("the process is gone"));
  });
  const ready = new Promise<Answer>((resolve, reject) => open.set(0, { resolve, reject }));
  child.on("message", (answer: Answer) => {
    open.get(answer.id)?.resolve(answer);
    open.delete(answer.id);
  });
  await ready;

  async function ask(verb: Ask["verb"], key: NewKey): Promise<unknown> {
    lastId += 1;
    const id = lastId;
    const answer = await new Promise<Answer>((resolve, reject) => {
      open.set(id, { resolve, reject });
      child.send({ id, verb, key } satisfies Ask);
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  return {
    verify: async (key) => (await ask("verify", key)) as Verification,
    change: async (verb, key) => (await ask(verb, key)) as Changed,
    watch: async (key) => void (await ask("watch", key)),
    unwatch: async (key) => (await ask("unwatch", key)) as Watched,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
