import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AskSlice, ReturnSlice, SliceSchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { checkMost, readBudget, readSpending } from "../domain/edges/asked-budget.ts";
import { createGrants } from "../domain/edges/grants.ts";
import { encode } from "../domain/edges/wire.ts";
import type { Limiter } from "../domain/limits/limiter.ts";
import { RequestFault } from "../domain/vocabulary/request-fault.ts";

export interface EdgeBudgetsContext {
  readonly limiter: Limiter;
  readonly onFailure: (err: unknown) => void;
}

/** Spends from keys' budgets for the edge of one stream. */
export interface EdgeBudgets {
  /** Never rejects. */
  ask(asked: AskSlice): Promise<MessageInitShape<typeof SliceSchema>>;
  /** Gives back at most what this stream was granted. Never rejects. */
  takeBack(returned: ReturnSlice): Promise<void>;
}

export function createEdgeBudgets({ limiter, onFailure }: EdgeBudgetsContext): EdgeBudgets {
  const grants = createGrants();

  /** A fault of the edge is not a failure of this replica. */
  function note(err: unknown): void {
    if (!(err instanceof RequestFault)) onFailure(err);
  }

  /** Of a request of a user nothing is kept to be spent later: it is spent itself. */
  async function spend(asked: AskSlice): Promise<MessageInitShape<typeof SliceSchema>> {
    const { number, most } = asked;
    const { budgetId, limit } = readBudget(asked.budgetId, asked.limit);
    const spending = readSpending(asked.spending);
    checkMost(most);
    if (asked.peek) {
      const peeked = await limiter.peek(budgetId, limit, spending);
      return { number, granted: 0, decision: encode(peeked), takenAtMs: 0n, failed: false };
    }
    if (spending.user !== undefined || most === 0) {
      const decision = await limiter.take(budgetId, limit, spending);
      const granted = decision.kind === "allow" ? (spending.cost ?? 1) : 0;
      return { number, granted, decision: encode(decision), takenAtMs: 0n, failed: false };
    }
    const { isShared = false } = spending;
    const slice = await limiter.slice(budgetId, limit, { most, isShared });
    // Before the answer, so that what it gives back is known.
    grants.add({ budgetId, limit, isShared }, slice);
    const { granted, decision, lifeMs, takenAtMs } = slice;
    const life = Number.isFinite(lifeMs) ? { lifeMs: BigInt(Math.floor(lifeMs)) } : {};
    return { number, granted, decision: encode(decision), ...life, takenAtMs: BigInt(takenAtMs), failed: false };
  }

  return {
    async ask(asked) {
      try {
        return await spend(asked);
      } catch (err) {
        note(err);
        return { number: asked.number, granted: 0, decision: "", takenAtMs: 0n, failed: true };
      }
    },
    async takeBack({ budgetId: id, limit: text, unspent: returned, takenAtMs: at, shared: isShared }) {
      try {
        const { budgetId, limit } = readBudget(id, text);
        const takenAtMs = Number(at);
        const unspent = grants.redeem({ budgetId, limit, isShared }, { unspent: returned, takenAtMs });
        if (unspent > 0) await limiter.giveBack(budgetId, limit, { unspent, takenAtMs, isShared });
      } catch (err) {
        note(err);
      }
    },
  };
}
