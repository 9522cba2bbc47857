import {
  type KeyLifecycle,
  LIFECYCLE_KINDS,
  type LifecycleCursor,
  type LifecyclePass,
} from "../domain/webhooks/key-lifecycle.ts";
import { createWakeablePause } from "./wakeable-pause.ts";

/** Pause after each piece, so that requests come first. */
const PIECE_PAUSE_MS = 20;

export interface KeyLifecycleLoopContext {
  readonly lifecycle: Pick<KeyLifecycle, "beginPass" | "endPass" | "listTenants" | "writeEvents">;
  /** How often to look whether a pass is due. */
  readonly pollMs: number;
  /** Called when events were written. */
  readonly onWritten: () => void;
  /** Called with each failure. The pass is repeated when it is due again. */
  readonly onFault: (err: unknown) => void;
}

export interface KeyLifecycleLoop {
  /** Begins no further piece, and waits for the one under way. Idempotent. Never rejects. */
  stop(): Promise<void>;
}

/** The worker that finds what happens to keys without a call. Of all replicas, one makes each pass. */
export function startKeyLifecycleLoop(ctx: KeyLifecycleLoopContext): KeyLifecycleLoop {
  const { lifecycle, pollMs, onWritten, onFault } = ctx;
  const pause = createWakeablePause();
  let isStopping = false;

  async function work(): Promise<void> {
    while (!isStopping) {
      const more = pause.next(pollMs);
      for (const kind of LIFECYCLE_KINDS) {
        try {
          const pass = isStopping ? undefined : await lifecycle.beginPass(kind);
          if (pass !== undefined) await makePass(pass);
        } catch (err) {
          onFault(err);
        }
      }
      await more;
    }
  }

  async function makePass(pass: LifecyclePass): Promise<void> {
    let tenants = await lifecycle.listTenants("");
    while (tenants.length > 0) {
      for (const tenantId of tenants) await lookThrough(pass, tenantId);
      if (isStopping) return;
      tenants = await lifecycle.listTenants(tenants.at(-1) ?? "");
    }
    await lifecycle.endPass(pass);
  }

  async function lookThrough(pass: LifecyclePass, tenantId: string): Promise<void> {
    let after: LifecycleCursor | undefined;
    while (!isStopping) {
      const { written, next } = await lifecycle.writeEvents(pass, tenantId, after);
      if (written > 0) onWritten();
      if (next === undefined) return;
      after = next === "again" ? undefined : next;
      await new Promise((resolve) => setTimeout(resolve, PIECE_PAUSE_MS));
    }
  }

  const working = work();
  return {
    async stop() {
      isStopping = true;
      pause.wake();
      await working;
    },
  };
}
