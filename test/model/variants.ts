import { HISTORY_VARIANTS } from "./history-variants.ts";
import { TREE_VARIANTS } from "./tree-variants.ts";
import { fails, holds, inPart, type Variant } from "./variant.ts";

const PROTOCOL: readonly Variant[] = [
  holds(
    "A",
    "base",
    "",
    "ADR 22: rows of dead replicas are removed, replicas register anew, marks expire, replicas leave",
  ),
  holds("A", "longer times", "-DLEASE=5 -DBOUND=5", "four ticks of lease instead of two"),
  holds(
    "A",
    "repeated change",
    "-DCHANGES=2",
    "the first dies anywhere, also after its commit, or goes on beside the second",
  ),
  holds("A", "failover", "-DFAILOVER", "to a standby that may lack the row, renewals, acknowledgements and the mark"),
  holds("B", "base", "-DB", "one replica beside any number of others, one of which shows the new record at once"),
  holds("B", "failover", "-DB -DFAILOVER", "promised unless the server was new at the commit"),
];

/** Each breaks one rule. */
const CONTROLS: readonly Variant[] = [
  fails("A", "acknowledge first", "-DACK_FIRST", "the change is answered before the record is dropped"),
  fails("A", "no note", "-DNO_NOTE", "a fill that read the old record ends after the drop"),
  fails("A", "note is a flag", "-DNOTE_FLAG", "the note of a later fill lets an older one end"),
  fails("A", "note is kept", "-DNOTE_KEPT", "a drop that spares the notes drops nothing of a fill under way"),
  fails("A", "no wait", "-DNOBODY_WAITS", "answered at the commit"),
  fails("A", "no lease", "-DNO_LEASE", "a replica out of touch uses its records for ever"),
  fails(
    "A",
    "look up, then compare",
    "-DLOOKUP_FIRST",
    "an await between: the lease begins anew after the record was found",
  ),
  fails("A", "clock read before", "-DSTALE_CHECK", "the lease was compared for an earlier request, or by a timer"),
  fails("A", "look from its answer", "-DLOOK_FROM_ANSWER", "the answer may be older than the lease"),
  fails("A", "renewal from its answer", "-DBEAT_FROM_ANSWER", "the row is removed before the lease ends"),
  fails("A", "no margin", "-DMARGIN=1", "two clocks drift apart by more than bound less lease"),
  fails(
    "A",
    "lease by looks",
    "-DLEASE_BY_LOOK",
    "a replica that looks and cannot write loses its row, and no change waits for it",
  ),
  fails("A", "lease by renewals", "-DLEASE_BY_BEAT", "a replica that writes and cannot look outlives the bound"),
  fails(
    "A",
    "unlisted look",
    "-DUNLISTED_LOOKS",
    "a look before the new registration says nothing of changes after it",
  ),
  fails("A", "beats not compared", "-DREMOVE_UNCOMPARED", "the row is renewed between the decision and the removal"),
  fails("A", "removed early", "-DREMOVED_AFTER=1", "the row is removed before the lease has ended"),
  fails("A", "fresh cursor", "-DFRESH_CURSOR", "who registers anew and drops nothing skips the changes between"),
  fails("A", "rows before the mark", "-DROWS_BEFORE_MARK", "a replica registers and fills after the rows were read"),
  fails("A", "mark removed before", "-DMARK_APART", "a replica fills between the removal of the mark and the change"),
  fails("A", "mark not checked", "-DMARK_UNCHECKED", "an expired mark lets replicas fill before the commit"),
  fails("A", "mark expires in looks", "-DMARK_AGES", "looks disregard a mark that a change can still commit with"),
  fails("A", "marked key from cache", "-DUSE_MARKED", "having seen the mark binds no reader"),
  fails(
    "A",
    "nothing to change",
    "-DCHANGES=2 -DUNCHANGED_AT_ONCE",
    "the repeated change is answered although the first one did not wait",
  ),
  fails("A", "leave, then stop", "-DLEAVE_FIRST", "the row is gone, the lease is not"),
  fails(
    "A",
    "no mark, by number",
    "-DNO_MARK -DBY_NUMBER",
    "a change with a lower number commits later, and is never listed",
  ),
  fails("A", "failover at once", "-DFAILOVER -DNO_HOLD", "the standby lacks the row of a replica with a lease"),
  fails(
    "A",
    "failover, kept",
    "-DFAILOVER -DKEEP_ON_FAILOVER",
    "the cursor shows transactions that the new primary has yet to make",
  ),
  fails(
    "A",
    "failover, old snapshot",
    "-DFAILOVER -DSEEN_ELSEWHERE",
    "an acknowledgement from before names transactions of the new primary",
  ),
  fails(
    "A",
    "failover, old beats",
    "-DFAILOVER -DREMOVER_REMEMBERS",
    "renewals are lost: beats look unmoved across the failover",
  ),
  fails(
    "B",
    "commit first",
    "-DB -DNO_MARK -DPROMISED_ALWAYS",
    "one replica shows the new record before another has dropped the old one",
  ),
  fails("B", "wait cut off", "-DB -DPROMISED_ALWAYS", "after 250 ms the change commits, whoever has not seen the mark"),
  fails("B", "marked key from cache", "-DB -DUSE_MARKED", "the old record is used after the mark was seen"),
  fails(
    "B",
    "new server",
    "-DB -DFAILOVER -DPROMISED_YOUNG",
    "the rows that the wait for the mark reads may be incomplete",
  ),
];

/** Rules that ADR 22 has and this model does not need, or that it does not have and would do as well. */
const ALTERNATIVES: readonly Variant[] = [
  holds("A", "no mark", "-DNO_MARK", "the mark is for B alone"),
  holds(
    "A",
    "compare, then look up",
    "-DCHECK_FIRST",
    "an await between: harmless if the comparison is the request's own",
  ),
  holds(
    "A",
    "rows before the commit",
    "-DROWS_BEFORE_COMMIT",
    "after the mark is early enough: who registers later sees the mark",
  ),
  holds(
    "A",
    "by number",
    "-DBY_NUMBER",
    "the mark covers what the log lacks; for changes without one, see the control",
  ),
  holds("A", "fill while marked", "-DFILL_MARKED", "harmless while marked records are not used: the change drops them"),
  holds("B", "fill while marked", "-DB -DFILL_MARKED", "the same"),
  holds(
    "A",
    "failover, rows of one server",
    "-DFAILOVER -DREMOVER_REMEMBERS -DSAME_SERVER",
    "instead of counting beats anew: rows count on the server of the commit alone",
  ),
];

/** Searched in part: too many states. */
const LARGE: readonly Variant[] = [
  inPart("A", "repeated, failover", "-DCHANGES=2 -DFAILOVER", "both at once"),
  inPart("A", "two replicas", "-DREPLICAS=2 -DFILLS=1", "A with both"),
  inPart("B", "two replicas", "-DB -DREPLICAS=2 -DFILLS=1", "each with its own caches, lease and row"),
];

export const VARIANTS: readonly Variant[] = [
  ...PROTOCOL,
  ...CONTROLS,
  ...ALTERNATIVES,
  ...LARGE,
  ...TREE_VARIANTS,
  ...HISTORY_VARIANTS,
];
