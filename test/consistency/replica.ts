import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NewKey } from "../../src/domain/keys/key.ts";

/** How a replica of these tests works, and how it is disturbed. */
export interface ReplicaOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /**
   * `shared` is ours. `young` does not follow the changes, `blind` says that it does and does not. `naive` deletes the copy
   * after the commit.
   */
  readonly protocol: "shared" | "young" | "blind" | "naive";
  /** At most so long between reading a key and copying it. */
  readonly readDelayMs: number;
  /** At most so long between the steps of a change. */
  readonly stepDelayMs: number;
  /** Share of the verifications before which Redis evicts the copy. */
  readonly evictions: number;
  /** How long a lease and a copy live; ours unless given, the same for all replicas. */
  readonly times?: { readonly leaseMs: number; readonly copyMs: number };
  /** The process kills itself in its first change. */
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

/** What a verification found, and when it took place. */
export interface Verdict {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Replica {
  verify(key: NewKey): Promise<Verdict>;
  /** Resolves when the change is acknowledged. */
  change(verb: "revoke" | "disable" | "enable", key: NewKey): Promise<void>;
  /** Stops the process where it is, and lets it go on. */
  pause(): void;
  resume(): void;
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

const UNDISTURBED = { protocol: "shared", readDelayMs: 0, stepDelayMs: 0, evictions: 0 } as const;

/** Starts a process that has the stores of a replica and nothing else. */
export async function startReplica(
  given: Pick<ReplicaOptions, "databaseUrl" | "redisUrl"> & Partial<ReplicaOptions>,
): Promise<Replica> {
  const options: ReplicaOptions = { ...UNDISTURBED, ...given };
  const child = fork(fileURLToPath(new URL("fixtures/replica.ts", import.meta.url)), [JSON.stringify(options)]);
  const ended = once(child, "exit");
  const open = new Map<number, { resolve: (answer: Answer) => void; reject: (err: Error) => void }>();
  let asked = 0;
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
    asked += 1;
    const id = asked;
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
