/*
 * The rules of ADR 59 that are a condition or one assignment, with what the variants put in their place.
 */

/* Who is sent a drop. */
#define IS_SENT(r, e) (at[e] == r && follows[e] && held[e])

/* `seen` waits for each edge that is behind, until its lease has ended. */
#define EDGE_DONE(r, e) (at[e] != r || !owes[e] || granted[e] == 0)
#if defined(NO_EDGE_WAIT)
#define EDGES_DONE(r) true
#elif EDGES == 1
#define EDGES_DONE(r) EDGE_DONE(r, 0)
#elif defined(ONE_EDGE_WAIT)
#define EDGES_DONE(r) EDGE_DONE(r, 1)
#else
#define EDGES_DONE(r) (EDGE_DONE(r, 0) && EDGE_DONE(r, 1))
#endif

/* A process that leaves has its edges drop what they have, or waits until their leases have ended. */
#define EDGE_LEFT(r, e) (at[e] != r || !follows[e] || before[e] + after[e] == 0 || granted[e] == 0)
#if defined(LEAVES_EDGES)
#define EDGES_LEFT(r) true
#elif EDGES == 1
#define EDGES_LEFT(r) EDGE_LEFT(r, 0)
#else
#define EDGES_LEFT(r) (EDGE_LEFT(r, 0) && EDGE_LEFT(r, 1))
#endif

/* A stream that has ended says nothing about the edge's records. */
#ifdef ENDED_IS_LAPSED
#define ENDS(e) follows[e] = false; held[e] = false; owes[e] = false; granted[e] = 0
#else
#define ENDS(e) skip
#endif

/* A stream keeps the order of its messages. */
#ifdef OVERTAKES
#define LEASE_IS_NEXT(e) true
#else
#define LEASE_IS_NEXT(e) (before[e] == 0)
#endif

/* What is left of the replica's own lease. */
#define AGE(r) (lookAge[r] > beatAge[r] -> lookAge[r] : beatAge[r])
#ifdef EDGE_FULL
#define SENT_LEFT(r) USED_FOR
#else
#define SENT_LEFT(r) (USED_FOR - AGE(r))
#endif
/* Counted by the edge from before it asked. */
#ifdef EDGE_FROM_ANSWER
#define COUNTED(left, age) left
#else
#define COUNTED(left, age) (left + EDGE_DRIFT > age -> left + EDGE_DRIFT - age : 0)
#endif

/* A stream begins empty. */
#if defined(ANY_STREAM)
#define BEGINS(e) edgeNote[e] = false
#elif defined(STREAM_KEEPS_NOTE)
#define BEGINS(e) edgeOld[e] = false
#else
#define BEGINS(e) edgeOld[e] = false; edgeNote[e] = false
#endif

/*
 * A fill at an edge. The replica registers the edge as a holder, compares its marks, and then reads: what was marked at that
 * time may not be kept. It registers none while it leaves.
 */
#ifdef HOLDS_WHILE_LEAVING
#define IS_LEAVING(r) false
#else
#define IS_LEAVING(r) leaving[r]
#endif
#if defined(KEEPS_MARKED) || defined(MARKS_READ_LATE)
#define IS_MARKED(r) false
#else
#define IS_MARKED(r) marked[r]
#endif
#define MAY_HOLD(e) (!otherStream[e] && follows[e] && !IS_LEAVING(at[e]) && !IS_MARKED(at[e]))
#ifdef EDGE_NO_NOTE
#define EDGE_IGNORES_NOTES true
#else
#define EDGE_IGNORES_NOTES false
#endif
#ifdef EDGE_NOTE_KEPT
#define DROPS_NOTE(e) skip
#else
#define DROPS_NOTE(e) edgeNote[e] = false
#endif

/* A replica that is asked for a record compares its lease as for itself. */
#ifdef ASKED_UNCHECKED
#define ASKED_HOLDS(r) true
#else
#define ASKED_HOLDS(r) HOLDS(r)
#endif

#ifdef EDGE_NO_LEASE
#define EDGE_HOLDS(e) true
#else
#define EDGE_HOLDS(e) (edgeLeft[e] > 0)
#endif
#define EDGE_ACCEPTS(e) (edgeOld[e] && EDGE_HOLDS(e))
#define REPLICA_ACCEPTS(r) (FINDS_OLD(r) && HOLDS(r))
#if REPLICAS == 1
#define REPLICAS_ACCEPT REPLICA_ACCEPTS(0)
#else
#define REPLICAS_ACCEPT (REPLICA_ACCEPTS(0) || REPLICA_ACCEPTS(1))
#endif
#if EDGES == 1
#define IS_ACCEPTED (REPLICAS_ACCEPT || EDGE_ACCEPTS(0))
#else
#define IS_ACCEPTED (REPLICAS_ACCEPT || EDGE_ACCEPTS(0) || EDGE_ACCEPTS(1))
#endif

/* The change waits for each row, and for that of a process that has died. */
#define HAS_ROWS_SEEN(r) (HAS_SEEN(r, 1) && (!formerRow[r] || formerSeen[r]))
#if REPLICAS == 1
#define TREE_SEEN HAS_ROWS_SEEN(0)
#else
#define TREE_SEEN (HAS_ROWS_SEEN(0) && HAS_ROWS_SEEN(1))
#endif
