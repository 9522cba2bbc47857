import { pause } from "../concurrency/pause.ts";
import { type Repeated, repeat } from "../concurrency/repeat.ts";
import {
  type KeyLifecycle,
  LIFECYCLE_KINDS,
  type LifecycleCursor,
  type LifecyclePass,
} from "../domain/webhooks/key-lifecycle.ts";

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

/** The worker that finds what happens to keys without a call. Of all replicas, one makes each pass. `stop` waits for the piece under way. */
export function startKeyLifecycleLoop(ctx: KeyLifecycleLoopContext): Pick<Repeated, "stop"> {
  const { lifecycle, pollMs, onWritten, onFault } = ctx;

  async function makePasses(stopping: AbortSignal): Promise<void> {
    for (const kind of LIFECYCLE_KINDS) {
      try {
        const pass = stopping.aborted ? undefined : await lifecycle.beginPass(kind);
        if (pass !== undefined) await makePass(pass, stopping);
      } catch (err) {
        onFault(err);
      }
    }
  }

  async function makePass(pass: LifecyclePass, stopping: AbortSignal): Promise<void> {
    let tenants = await lifecycle.listTenants("");
    while (tenants.length > 0) {
      for (const tenantId of tenants) await lookThrough(pass, tenantId, stopping);
      if (stopping.aborted) return;
      tenants = await lifecycle.listTenants(tenants.at(-1) ?? "");
    }
    await lifecycle.endPass(pass);
  }

  async function lookThrough(pass: LifecyclePass, tenantId: string, stopping: AbortSignal): Promise<void> {
    let after: LifecycleCursor | undefined;
    while (!stopping.aborted) {
      const { written, next } = await lifecycle.writeEvents(pass, tenantId, after);
      if (written > 0) onWritten();
      if (next === undefined) return;
      after = next === "again" ? undefined : next;
      await pause(PIECE_PAUSE_MS, stopping);
    }
  }

  return repeat(makePasses, { pollMs, onFault });
}
