import { warmUpValidation } from "../interceptors/index.ts";
import { warmUp } from "../process/warm-up.ts";
import { startPurgeLoop } from "../workers/purge-loop.ts";
import type { Part, PartContext } from "./part.ts";

/** The one worker that removes old rows of all parts. */
export function startPurge({ options, storage, life }: PartContext, parts: readonly Part[]): void {
  const purge = startPurgeLoop({
    removals: parts.flatMap(({ removals = [] }) => removals),
    clock: storage.keyClock,
    onFault: storage.logFailure("old rows could not be removed: it is tried again every minute"),
    passMs: options.purgeMs,
  });
  life.onIdle(purge.close);
}

/** Loads what the first requests would wait for, while the process serves already. */
export function startWarmUp({ watch, access, life }: PartContext): void {
  const validation = Array.from(access.policies.keys(), (method) => () => warmUpValidation([method]));
  // The first `Headers` object makes Node load its fetch implementation.
  const warming = warmUp([...validation, () => new Headers()], {
    signal: life.stopping,
    onError: (err) => watch.log.error({ err }, "not all could be loaded"),
  });
  life.onStop(() => warming);
}
