import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NewKey } from "../../src/domain/keys/key.ts";

/** How a replica of these tests works, and which disturbances it has. */
export interface ReplicaOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /**
   * `shared` is the real protocol. `fresh` does not follow the change log, and uses fresh entries only. `blind` claims
   * to follow it and does not. `naive` deletes the entry after the commit.
   */
  readonly protocol: "shared" | "fresh" | "blind" | "naive";
  /** The longest delay between reading a key and caching it. */
  readonly readDelayMs: number;
  /** The longest delay between the steps of a change. */
  readonly stepDelayMs: number;
  /** Share of the verifications before which Redis evicts the entry. */
  readonly evictions: number;
  /** How long a lease lives and an entry is fresh, the same for all replicas. Default: the real times. */
  readonly times?: { readonly leaseMs: number; readonly freshMs: number };
  /** The process kills itself during its first change. */
  readonly dieBefore?: "commit" | "end";
}

export type Ask =
  | { readonly id: number; readonly verb: "verify"; readonly secretHash: string }
  | {
      readonly id: number;
      readonly verb: "revoke" | "disable" | "enable";
      readonly tenantId: string;
      readonly keyId: string;
    };

export interface Answer {
  readonly id: number;
  readonly status: string;
  readonly error?: string;
  /** When the verification began and ended, by the clock of the machine. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** What a verification returned, and when it took place. */
export interface Verification {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Replica {
  verify(key: NewKey): Promise<Verification>;
  /** Resolves when the change is acknowledged. */
  change(verb: "revoke" | "disable" | "enable", key: NewKey): Promise<void>;
  /** Stops the process (SIGSTOP), and continues it. */
  pause(): void;
  resume(): void;
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

const UNDISTURBED = { protocol: "shared", readDelayMs: 0, stepDelayMs: 0, evictions: 0 } as const;

/** Starts a process with the stores of a replica and nothing else. */
export async function startReplica(
  given: Pick<ReplicaOptions, "databaseUrl" | "redisUrl"> & Partial<ReplicaOptions>,
): Promise<Replica> {
  const options: ReplicaOptions = { ...UNDISTURBED, ...given };
  const child = fork(fileURLToPath(new URL("fixtures/store-process.ts", import.meta.url)), [JSON.stringify(options)]);
  const ended = once(child, "exit");
  const open = new Map<number, { resolve: (answer: Answer) => void; reject: (err: Error) => void }>();
  let lastId = 0;
  ended.then(() => {
    for (const { reject } of open.values()) reject(new Error("the replica is gone"));
  });
  const ready = new Promise<Answer>((resolve, reject) => open.set(0, { resolve, reject }));
  child.on("message", (answer: Answer) => {
    open.get(answer.id)?.resolve(answer);
    open.delete(answer.id);
  });
  await ready;

  async function ask(
    question: Omit<Extract<Ask, { verb: "verify" }>, "id"> | Omit<Exclude<Ask, { verb: "verify" }>, "id">,
  ): Promise<Answer> {
    lastId += 1;
    const id = lastId;
    const answer = await new Promise<Answer>((resolve, reject) => {
      open.set(id, { resolve, reject });
      child.send({ id, ...question });
    });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  return {
    async verify({ secretHash }) {
      const {
        status,
        fromMs = Number.NaN,
        toMs = Number.NaN,
      } = await ask({
        verb: "verify",
        secretHash,
      });
      return { status, fromMs, toMs };
    },
    async change(verb, { record: { tenantId, keyId } }) {
      await ask({ verb, tenantId, keyId });
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    ended,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
