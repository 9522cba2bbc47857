import type { Clock } from "../../domain/ports/clock.ts";

export interface ScriptOptions {
  /** Default: Redis' own clock, one for all replicas. Another one is for tests. */
  readonly now?: Clock | undefined;
}

/** The last argument of a script, if a test brings its own clock. */
export function testTime({ now }: ScriptOptions): number[] {
  return now === undefined ? [] : [now().getTime()];
}
