import { createPublicKey, type KeyObject } from "node:crypto";
import { type ScannerKeys, ScannerKeysUnavailable } from "../../domain/leaks/scanner-keys.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";

export interface ScannerKeysOptions {
  /** Where the keys are published. */
  readonly url: string;
  /** Fetches a document, with bounds on time and size. */
  readonly fetchText: (url: string) => Promise<string>;
  readonly clock: Clock;
  /** Called after each fetch that fails. */
  readonly onFailure: (err: unknown) => void;
}

/** For so long keys are used without another look. */
const FRESH_MS = 3_600_000;
/** For so long they are used while no new ones can be fetched. */
const STALE_MS = 86_400_000;
/** Between two fetches: an unknown identifier causes one at most, however many requests have it. */
const PAUSE_MS = 60_000;
const PAUSE_AFTER_FAILURE_MS = 10_000;
/** GitHub publishes two or three. */
const KEYS_MAX = 100;

/** Caches GitHub's public keys. Concurrent calls share one fetch. */
export function createScannerKeys({ url, fetchText, clock, onFailure }: ScannerKeysOptions): ScannerKeys {
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let fetchedMs = Number.NEGATIVE_INFINITY;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  let fetching: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    try {
      keys = readKeys(parseForeignJson(await fetchText(url)));
      fetchedMs = clock().getTime();
      hasFailed = false;
    } catch (err) {
      hasFailed = true;
      onFailure(err);
    }
    notBeforeMs = clock().getTime() + (hasFailed ? PAUSE_AFTER_FAILURE_MS : PAUSE_MS);
    fetching = undefined;
  }

  return {
    async find(identifier) {
      const isFresh = clock().getTime() - fetchedMs < FRESH_MS && keys.has(identifier);
      if (!isFresh && clock().getTime() >= notBeforeMs) fetching ??= fetchKeys();
      if (!isFresh) await fetching;
      const nowMs = clock().getTime();
      const key = nowMs - fetchedMs < STALE_MS ? keys.get(identifier) : undefined;
      if (key === undefined && hasFailed)
        throw new ScannerKeysUnavailable(Math.max(1, Math.ceil((notBeforeMs - nowMs) / 1_000)));
      return key;
    },
  };
}

/** Keys of another kind than GitHub's are left out. Throws if the document is not GitHub's. */
function readKeys(document: unknown): ReadonlyMap<string, KeyObject> {
  if (!isJsonObject(document) || !Array.isArray(document.public_keys))
    throw new Error("the document has no public_keys");
  const entries = document.public_keys.slice(0, KEYS_MAX).flatMap((entry: unknown) => {
    if (!isJsonObject(entry) || typeof entry.key_identifier !== "string" || typeof entry.key !== "string") return [];
    const key = publicKey(entry.key);
    return key === undefined ? [] : [[entry.key_identifier, key] as const];
  });
  return new Map(entries);
}

function publicKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}
