import type { Clock } from "../../domain/ports/clock.ts";

export interface ScriptOptions {
  /** Default: Redis' own clock, one for all replicas. Tests pass their own. */
  readonly now?: Clock | undefined;
}

/** The last argument of a script: empty, or the time of a test's clock. */
export function testTime({ now }: ScriptOptions): number[] {
  return now === undefined ? [] : [now().getTime()];
}
