import { type IdempotentCall, type IdempotentCalls, IdempotentReplay, requireSameContent } from "./idempotent-call.ts";

/** The dependencies of an idempotent call. */
export interface IdempotencyContext {
  readonly calls: Pick<IdempotentCalls, "findRecord">;
}

/**
 * Makes something by `make`, or answers by `replay` with what the same call has made. Its record is looked for first: what was
 * allowed for the first call, such as an `expires_at`, may not be allowed any more.
 *
 * A secret is returned once: `replay` must not need it.
 */
export async function idempotently<Made, Replayed>(
  { calls }: IdempotencyContext,
  call: IdempotentCall | undefined,
  make: () => Promise<Made>,
  replay: (madeId: string) => Promise<Replayed>,
): Promise<Made | Replayed> {
  if (call === undefined) return make();
  let record = await calls.findRecord(call);
  if (record === undefined) {
    try {
      return await make();
    } catch (err) {
      if (!(err instanceof IdempotentReplay)) throw err;
      record = err.record;
    }
  }
  requireSameContent(call, record);
  return replay(record.madeId);
}
