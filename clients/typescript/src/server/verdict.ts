import type { VerifiedCaller } from "./caller.ts";
import type { Refusal } from "./refusal.ts";

/** What was decided about a request. */
export type Verdict =
  | {
      readonly kind: "admitted";
      readonly caller: VerifiedCaller;
      /** For the answer to the request: its key's limit, and the `X-Request-Id` by which Latchkey knows the decision. */
      readonly headers: Headers;
    }
  | ({ readonly kind: "refused" } & Refusal);

/** The rights that a request needs, and as how many requests of its key's limit it counts. */
export interface Question {
  readonly scopes: readonly string[];
  /** 1 to 1,000. Undefined: 1. */
  readonly cost: number | undefined;
  /** Whether a dashboard user without a tenant may do it, whose `tenantId` is then empty. Default: false. */
  readonly tenantOptional?: boolean;
}
