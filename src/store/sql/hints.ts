import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** What one process tells the others on its database. A hint may be lost: whoever acts on it also looks by themselves. */
export type Hint = { readonly kind: "queued" } | { readonly kind: "ended"; readonly threadId: string };

export interface ListenerEvents {
  readonly onHint: (hint: Hint) => void;
  /** Hints arrive from now on (true: something may have been missed before), or they do not. */
  readonly onChange: (hearing: boolean) => void;
}

export interface Listener {
  close(): Promise<void>;
}

export const CHANNEL = "latchkey_runs";
/** Well below the time after which a silent connection counts as dead, so that it is silent only if it is dead. */
const PROBE_MS = 4_000;
const RECONNECT_MS = 250;
const RECONNECT_MS_MAX = 5_000;

/** `origin` is the telling process, which needs no telling. */
export function toPayload(origin: string, hint: Hint): string {
  return hint.kind === "ended" ? `${origin} ended ${hint.threadId}` : `${origin} queued`;
}

/** Undefined: our own, or one that a later version invented. */
function fromPayload(origin: string, payload: string): Hint | undefined {
  const [from, kind, threadId] = payload.split(" ");
  if (from === origin) return undefined;
  if (kind === "queued") return { kind };
  return kind === "ended" && threadId !== undefined ? { kind, threadId } : undefined;
}

export interface Teller {
  /** Never fails, and never waits. */
  tell(payload: string): void;
  /** Once nothing is under way. */
  idle(): Promise<void>;
}

/**
 * Tells in the background, by one statement at a time; what is to be told meanwhile goes together in the next. Apart from
 * the transaction that a hint is about: a notification takes a lock of the whole server from before the commit until it
 * is on disk, one commit after the other.
 */
export function createTeller(send: (payloads: readonly string[]) => Promise<unknown>): Teller {
  const untold = new Set<string>();
  let telling: Promise<void> | undefined;

  async function tellAll(): Promise<void> {
    while (untold.size > 0) {
      const payloads = [...untold];
      untold.clear();
      // Then it is lost, as a hint may be.
      await send(payloads).catch(() => undefined);
    }
    telling = undefined;
  }

  return {
    tell(payload) {
      untold.add(payload);
      telling ??= tellAll();
    },
    idle: async () => telling,
  };
}

/**
 * Listens on a connection of its own, and on a new one whenever that breaks. A pooler in transaction mode loses
 * LISTEN without a word; then the regular looks of those who act on hints are all there is.
 */
export function startListener(newClient: () => pg.Client, origin: string, events: ListenerEvents): Listener {
  const closing = new AbortController();
  let hearing = false;

  function change(now: boolean): void {
    if (now !== hearing) events.onChange(now);
    hearing = now;
  }

  async function keepListening(): Promise<void> {
    for (let pauseMs = RECONNECT_MS; !closing.signal.aborted; pauseMs = Math.min(pauseMs * 2, RECONNECT_MS_MAX)) {
      const client = newClient();
      const broken = brokenSignal(client);
      try {
        await client.connect();
        client.on("notification", ({ payload = "" }) => {
          const hint = fromPayload(origin, payload);
          if (hint !== undefined) events.onHint(hint);
        });
        await client.query(`listen ${CHANNEL}`);
        change(true);
        pauseMs = RECONNECT_MS;
        await probeUntil(client, AbortSignal.any([broken, closing.signal]));
      } catch {
        // Reported below as a change: why it broke, those who need the database report themselves.
      }
      await client.end().catch(() => undefined);
      if (closing.signal.aborted) return;
      change(false);
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const listening = keepListening();
  return {
    async close() {
      closing.abort();
      await listening;
    },
  };
}

function brokenSignal(client: pg.Client): AbortSignal {
  const broken = new AbortController();
  client.on("error", () => broken.abort());
  client.on("end", () => broken.abort());
  return broken.signal;
}

/** Ends when the signal is aborted; rejects when the connection does not answer. */
async function probeUntil(client: pg.Client, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await sleep(PROBE_MS, undefined, { signal: over }).catch(() => undefined);
    if (!over.aborted) await client.query("select 1");
  }
}
