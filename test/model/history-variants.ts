import { fails, holds, type Variant } from "./variant.ts";

/** A promoted standby that lacks a change, and nothing else that would tell. */
const LOSS = "-DLOSES -DNO_REDIS -DSTAYS_DOWN";

const BASE: readonly Variant[] = [
  holds("H", "failback", "", "ADR 62: the old primary comes back, and each statement may go to either"),
  holds("H", "loss", LOSS, "ADR 63: what one process remembers is denied at once, and put back"),
  holds("H", "loss and failback", "-DLOSES", "both, with Redis"),
];

/** Each breaks one rule. */
const CONTROLS: readonly Variant[] = [
  fails("H", "no Redis", "-DNO_REDIS", "nothing tells a process that reaches the old primary only"),
  fails("H", "timeline not compared", "-DNO_TIMELINE", "a change is answered before Redis has its id"),
  fails("H", "old position", "-DHEARD_FOR=2", "a look asks for what Redis had before the failover"),
  fails("H", "position is overwritten", "-DKEEPS_UNCOMPARED", "a process on the old primary writes after the others"),
  fails("H", "reads after a refusal", "-DREADS_AFTER_REFUSAL", "only looks ask for what Redis has"),
  fails("H", "reads without looks", "-DREADS_WITHOUT_LOOKS", "looks that stand still learn nothing"),
  fails("H", "reads without proof", "-DUNPROVEN_READS", "they go to the other primary than the look"),
  fails("H", "new primary at once", "-DNO_HOLD", "it does not list a process that still has a lease"),
  fails("H", "no overlay", `${LOSS} -DNO_OVERLAY`, "what the process itself remembers is not put back yet"),
  fails("H", "served before mended", `${LOSS} -DSERVES_AT_ONCE`, "another process remembers what is lost"),
  fails("H", "mended at once", `${LOSS} -DMENDED_AT_ONCE`, "the row says so before the change is put back"),
  fails("H", "fact of its maker", `${LOSS} -DFACTS_OF_MAKER`, "the only process that remembers it dies"),
  fails("H", "sees all", `${LOSS} -DSEES_ALL`, "a process that looked before the change serves without it"),
  fails(
    "H",
    "bound without proof",
    `${LOSS} -DUNPROVEN_BOUND`,
    "another one serves without the change before it is answered",
  ),
  fails("H", "loss after the bound", `${LOSS} -DMAKER_DIES`, "a limit: its maker dies while nobody else has seen it"),
  fails("H", "loss while silent", `${LOSS} -DREMOVES_LIVING`, "a limit: the process that remembers it is removed"),
];

/** What a look need not ask for where timelines show. */
const ALTERNATIVES: readonly Variant[] = [
  holds("H", "looks by timeline", "-DNO_NEWEST", "reads need the id, since they show no timeline"),
];

export const HISTORY_VARIANTS: readonly Variant[] = [...BASE, ...CONTROLS, ...ALTERNATIVES].map((variant) => ({
  ...variant,
  model: "history.pml" as const,
}));
