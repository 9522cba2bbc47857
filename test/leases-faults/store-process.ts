import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { Times } from "../../src/store/replicas/times.ts";

/** Where a process may be stopped: in a change that it makes, or while it takes note of another process' change. */
export type Step =
  /** The mark is committed. */
  | "marked"
  /** The change is made but not committed. */
  | "updated"
  /** The change is committed, and does not wait yet. */
  | "committed"
  /** A look has shown news, which are not applied. */
  | "looked"
  /** They are applied, but not acknowledged. */
  | "applied";

export interface StoreProcessOptions {
  readonly databaseUrl: string;
  /** Default: the real times, of which some are replaced. All processes of a database must agree. */
  readonly times?: Partial<Times>;
  /**
   * `compared` is the real lease. `always` never ends. `timer` is ended by a timer, instead of being compared at each use.
   */
  readonly lease?: "compared" | "always" | "timer";
  /** Whether it receives notifications. Default: true. */
  readonly listens?: boolean;
  /** For a pooler that gives each transaction another session. */
  readonly namelessStatements?: boolean;
}

/** A change of a key, or of its tenant. */
export type Verb = "revoke" | "disable" | "enable" | "suspend" | "resume";

export type Command =
  | { readonly verb: "verify"; readonly hashes: readonly string[] }
  | { readonly verb: "watch"; readonly hashes: readonly string[]; readonly isBusy: boolean }
  | { readonly verb: "seen" | "state" | "go on" }
  | { readonly verb: "stop at"; readonly step: Step; readonly how: "die" | "hold" }
  | { readonly verb: Verb; readonly tenantId: string; readonly keyId: string };

export type Ask = Command & { readonly id: number };

export interface Reply {
  readonly id: number;
  readonly error?: string;
  readonly value?: unknown;
}

/** What a process found while it verified a key without a pause. All times by the clock that the processes share. */
export interface Seen {
  readonly verifications: number;
  /** When the last verification began that accepted the key. */
  readonly acceptedFromMs: number;
  /** When the first verification ended that rejected it. */
  readonly rejectedToMs: number;
}

export interface State {
  readonly isLeaseHeld: boolean;
  readonly records: number;
  readonly isHeldAtStep: boolean;
}

/** A process with the stores of a replica and nothing else. */
export interface StoreProcess {
  /** The status of each key, in order; `suspended` if its tenant is, `unavailable` if it cannot be read. */
  verify(keys: readonly NewKey[]): Promise<readonly string[]>;
  /** Verifies the keys again and again from now on; if `isBusy`, without a pause. */
  watch(keys: readonly NewKey[], isBusy?: boolean): Promise<void>;
  /** What it found of each key that it watched until now. */
  seen(keys: readonly NewKey[]): Promise<readonly Seen[]>;
  /** Resolves when the change is acknowledged, with that time. */
  change(verb: Verb, key: NewKey): Promise<number>;
  state(): Promise<State>;
  /** The next time that it gets there, it kills itself, or waits for `goOn`. */
  stopAt(step: Step, how?: "die" | "hold"): Promise<void>;
  goOn(): Promise<void>;
  /** Stops the process (SIGSTOP), and continues it. */
  pause(): void;
  resume(): void;
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

export async function startStoreProcess(options: StoreProcessOptions): Promise<StoreProcess> {
  const child = fork(fileURLToPath(new URL("fixtures/store-process.ts", import.meta.url)), [JSON.stringify(options)]);
  const ended = once(child, "exit");
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (err: Error) => void }>();
  let lastId = 0;
  ended.then(() => {
    for (const { reject } of open.values()) reject(new Error("the process is gone"));
  });
  const ready = new Promise<unknown>((resolve, reject) => open.set(0, { resolve, reject }));
  child.on("message", ({ id, error, value }: Reply) => {
    if (error === undefined) open.get(id)?.resolve(value);
    else open.get(id)?.reject(new Error(error));
    open.delete(id);
  });
  await ready;

  function ask(command: Command): Promise<unknown> {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      open.set(id, { resolve, reject });
      child.send({ id, ...command });
    });
  }

  return {
    verify: async (keys) => (await ask({ verb: "verify", hashes: hashesOf(keys) })) as string[],
    watch: async (keys, isBusy = false) => void (await ask({ verb: "watch", hashes: hashesOf(keys), isBusy })),
    async seen(keys) {
      const seen = new Map((await ask({ verb: "seen" })) as [string, Seen][]);
      return keys.map(({ secretHash }) => {
        const found = seen.get(secretHash);
        if (found === undefined) throw new Error("a key was not watched");
        return found;
      });
    },
    change: async (verb, { record: { tenantId, keyId } }) => (await ask({ verb, tenantId, keyId })) as number,
    state: async () => (await ask({ verb: "state" })) as State,
    stopAt: async (step, how = "die") => void (await ask({ verb: "stop at", step, how })),
    goOn: async () => void (await ask({ verb: "go on" })),
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    ended,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function hashesOf(keys: readonly NewKey[]): string[] {
  return keys.map(({ secretHash }) => secretHash);
}

/** By a clock that all processes of a machine share. */
export function sharedMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
