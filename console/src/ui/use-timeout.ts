import { useEffect, useRef } from "react";

/** Calls a function once, `delayMs` after the delay was set. Undefined: not at all. */
export function useTimeout(callback: () => void, delayMs: number | undefined): void {
  const latest = useRef(callback);
  useEffect(() => {
    latest.current = callback;
  });
  useEffect(() => {
    if (delayMs === undefined) return;
    const timer = setTimeout(() => latest.current(), delayMs);
    return () => clearTimeout(timer);
  }, [delayMs]);
}
