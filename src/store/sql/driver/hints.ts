import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** A notification from one process to the others on its database. It may be lost, so its receivers also poll. */
export type Hint =
  | { readonly kind: "queued" }
  | { readonly kind: "ended"; readonly threadId: string }
  /** A key changes, or has changed. */
  | { readonly kind: "keys" }
  /** Webhooks have something to send. */
  | { readonly kind: "webhooks" };

export interface ListenerEvents {
  readonly onHint: (hint: Hint) => void;
  /** True: hints arrive from now on, and earlier ones may have been missed. False: no hints arrive. */
  readonly onChange: (isListening: boolean) => void;
}

export interface Listener {
  close(): Promise<void>;
}

export const CHANNEL = "latchkey_runs";
/**
 * Well below the time after which a silent connection counts as dead, so that a working one is never silent for so
 * long.
 */
const PROBE_MS = 4_000;
const RECONNECT_MS = 250;
const RECONNECT_MS_MAX = 5_000;

/** `sender` is the id of the sending process, which ignores its own hints. */
export function toPayload(sender: string, hint: Hint): string {
  return hint.kind === "ended" ? `${sender} ended ${hint.threadId}` : `${sender} ${hint.kind}`;
}

/** Undefined for this process' own hints, and for kinds of a later version. */
function fromPayload(receiver: string, payload: string): Hint | undefined {
  const [from, kind, threadId] = payload.split(" ");
  if (from === receiver) return undefined;
  if (kind === "queued" || kind === "keys" || kind === "webhooks") return { kind };
  return kind === "ended" && threadId !== undefined ? { kind, threadId } : undefined;
}

export interface HintSender {
  /** Never fails, and never waits. */
  send(payload: string): void;
  /** Resolves when no hint is being sent. */
  idle(): Promise<void>;
}

/**
 * Sends hints in the background, with one statement at a time. Hints that arrive meanwhile go together into the next
 * one. They are not sent in the transaction that they are about: a notification locks the whole server from before the
 * commit until it is on disk, so that commits would run one after the other.
 */
export function createHintSender(notify: (payloads: readonly string[]) => Promise<unknown>): HintSender {
  const pending = new Set<string>();
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (pending.size > 0) {
      const payloads = [...pending];
      pending.clear();
      // If it fails, the hints are lost, as hints may be.
      await notify(payloads).catch(() => undefined);
    }
    sending = undefined;
  }

  return {
    send(payload) {
      pending.add(payload);
      sending ??= sendAll();
    },
    idle: async () => sending,
  };
}

/**
 * Listens on a connection of its own, and opens a new one whenever it breaks. A pooler in transaction mode drops LISTEN
 * without an error; then only the polling of the receivers remains. `receiver` is the id of this process.
 */
export function startListener(newClient: () => pg.Client, receiver: string, events: ListenerEvents): Listener {
  const closing = new AbortController();
  let isListening = false;

  function change(now: boolean): void {
    if (now !== isListening) events.onChange(now);
    isListening = now;
  }

  async function keepListening(): Promise<void> {
    for (let pauseMs = RECONNECT_MS; !closing.signal.aborted; pauseMs = Math.min(pauseMs * 2, RECONNECT_MS_MAX)) {
      const client = newClient();
      const broken = brokenSignal(client);
      try {
        await client.connect();
        client.on("notification", ({ payload = "" }) => {
          const hint = fromPayload(receiver, payload);
          if (hint !== undefined) events.onHint(hint);
        });
        await client.query(`listen ${CHANNEL}`);
        change(true);
        pauseMs = RECONNECT_MS;
        await probeUntil(client, AbortSignal.any([broken, closing.signal]));
      } catch {
        // Reported below as a change. The cause is in the log of the requests and workers that need the database.
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

/** Resolves when the signal is aborted; rejects when the server does not answer. */
async function probeUntil(client: pg.Client, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await sleep(PROBE_MS, undefined, { signal: ended }).catch(() => undefined);
    if (!ended.aborted) await client.query("select 1");
  }
}
