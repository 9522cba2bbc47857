import { AlreadyMade, type RepeatableCall, type RepeatableCalls, requireSameContent } from "./repeatable-call.ts";

/** The dependencies of a repeatable call. */
export interface OnceContext {
  readonly calls: Pick<RepeatableCalls, "findMade">;
}

/**
 * Makes something by `make`, or answers by `again` with what the same call has made. That is looked for first: what was
 * allowed for the first call, such as an `expires_at`, may not be allowed any more.
 *
 * A secret is handed over once: `again` must not need it.
 */
export async function once<Made, Again>(
  { calls }: OnceContext,
  call: RepeatableCall | undefined,
  make: () => Promise<Made>,
  again: (madeId: string) => Promise<Again>,
): Promise<Made | Again> {
  if (call === undefined) return make();
  let made = await calls.findMade(call);
  if (made === undefined) {
    try {
      return await make();
    } catch (err) {
      if (!(err instanceof AlreadyMade)) throw err;
      made = err.made;
    }
  }
  requireSameContent(call, made);
  return again(made.madeId);
}
