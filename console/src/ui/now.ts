import { useSyncExternalStore } from "react";

/** Ms between two looks at the clock: the smallest unit in words is a minute. */
const TICK_MS = 15_000;

let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const readers = new Set<() => void>();

/** The time, which moves on: one timer for all that show it. A page that comes to the front is right at once. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(reader: () => void): () => void {
  if (readers.size === 0) {
    now = new Date();
    timer = setInterval(look, TICK_MS);
    document.addEventListener("visibilitychange", look);
  }
  readers.add(reader);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

function look(): void {
  now = new Date();
  for (const reader of readers) reader();
}
