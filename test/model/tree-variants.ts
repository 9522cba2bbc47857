import { fails, holds, inPart, type Variant } from "./variant.ts";

/** With one tick of lease. */
const SHORT = "-DLEASE=2 -DBOUND=2";

const BASE: readonly Variant[] = [
  holds("A", "tree", "", "ADR 59: one replica and one edge, whose stream ends and begins anew at any moment"),
  holds("A", "tree, restarts", "-DRESTARTS", "the replica's process dies, with a live edge"),
  holds("A", "tree, leaves", "-DLEAVES", "SIGTERM, with a live edge"),
  holds("A", "tree, all", `${SHORT} -DRESTARTS -DLEAVES`, "both"),
  holds("A", "two edges, no time", `${SHORT} -DSTILL -DEDGES=2`, "no lease ends: the change waits for both"),
  holds("A", "two replicas, no time", `${SHORT} -DSTILL -DREPLICAS=2`, "the edge's next stream is to either"),
  holds("B", "tree", "-DB", "an edge beside others, one of which shows the new record at once"),
  holds("B", "tree, all", `-DB ${SHORT} -DRESTARTS -DLEAVES`, "with SIGTERM and a process that dies"),
  holds(
    "A",
    "tree, asked unchecked",
    `${SHORT} -DRESTARTS -DLEAVES -DASKED_UNCHECKED`,
    "not needed: the leases of edges are part of the replica's",
  ),
];

/** Each breaks one rule. */
const CONTROLS: readonly Variant[] = [
  fails("A", "no wait for edges", `${SHORT} -DNO_EDGE_WAIT`, "answered before the edge has dropped its record"),
  fails("A", "wait for one of two", `${SHORT} -DSTILL -DEDGES=2 -DONE_EDGE_WAIT`, "the other one has the record still"),
  fails("A", "edges drop first", `${SHORT} -DEDGES_FIRST`, "the edge gets the old record again from its replica"),
  fails("A", "lease before drops", `${SHORT} -DLEASE_FIRST`, "the lease counts from a look before its drops are sent"),
  fails("A", "lease overtakes drops", `${SHORT} -DOVERTAKES`, "the same, on a stream without order"),
  fails("A", "full lease", "-DEDGE_FULL", "an edge's lease outlives its replica's"),
  fails(
    "A",
    "lease from its answer",
    `${SHORT} -DEDGE_FROM_ANSWER`,
    "the answer is late: it begins later than granted",
  ),
  fails("A", "edge without margin", `${SHORT} -DEDGE_DRIFT=1`, "the edge's clock is slower than its replica's"),
  fails("A", "edge without note", `${SHORT} -DEDGE_NO_NOTE`, "what was asked for before the drop arrives after it"),
  fails("A", "edge's note is kept", `${SHORT} -DEDGE_NOTE_KEPT`, "the same: the drop spares what is under way"),
  fails("A", "edge without lease", `${SHORT} -DEDGE_NO_LEASE`, "an edge that was cut off uses its records for ever"),
  fails("A", "edge looks up, then compares", `${SHORT} -DEDGE_LOOKUP_FIRST`, "an await between: the lease begins anew"),
  fails(
    "A",
    "stream begins with records",
    `${SHORT} -DANY_STREAM`,
    "what was dropped between two streams is never sent",
  ),
  fails("A", "the same, after a restart", `${SHORT} -DRESTARTS -DANY_STREAM`, "the new process knows no holder"),
  fails(
    "A",
    "stream begins with notes",
    `${SHORT} -DSTREAM_KEEPS_NOTE`,
    "the new stream's entry does not hold the key",
  ),
  fails("A", "holder after the read", `${SHORT} -DHELD_LATE`, "a drop between the read and the entry is not sent"),
  fails("A", "keeps marked records", `${SHORT} -DKEEPS_MARKED`, "an edge fills while the change is under way"),
  fails(
    "A",
    "marks after the read",
    `${SHORT} -DMARKS_READ_LATE`,
    "the mark is gone by then, and the drop not arrived",
  ),
  fails("A", "former row is removed", `${SHORT} -DRESTARTS -DROW_REMOVED`, "a restart: no change waits for live edges"),
  fails("A", "leave live edges", `${SHORT} -DLEAVES -DLEAVES_EDGES`, "the row is gone, their leases are not"),
  fails("A", "holds while leaving", `${SHORT} -DLEAVES -DHOLDS_WHILE_LEAVING`, "an edge fills after its last drop"),
  fails("A", "ended stream is lapsed", `${SHORT} -DENDED_IS_LAPSED`, "the edge was cut off, and has its lease still"),
];

/** Searched in part: too many states. */
const LARGE: readonly Variant[] = [
  inPart("A", "two edges", `${SHORT} -DEDGES=2`, "each with its stream, lease and cache"),
  inPart("A", "edge changes replicas", `${SHORT} -DREPLICAS=2`, "its stream ends, the next one is to either"),
];

export const TREE_VARIANTS: readonly Variant[] = [...BASE, ...CONTROLS, ...LARGE].map((variant) => ({
  ...variant,
  model: "tree.pml" as const,
}));
