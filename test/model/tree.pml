/*
 * The tree: edges under replicas under PostgreSQL. The change and the replicas follow ADR 22, by the rules of rules.pml; an
 * edge caches the same key under what is left of its replica's lease (ADR 59). README.md says what is modelled.
 *
 * As in leases.pml, nothing is forced to move, and a step in `atomic` or `d_step` is one statement of PostgreSQL or one turn of
 * one event loop. To be smaller than there, a replica's own fills and its renewals are one step each, and there is one server.
 *
 * What a replica has of an edge is kept for the edge's present stream alone. Of former streams the edge has nothing left
 * once the present one has begun; a replica that waits for them all the same waits longer than this model.
 */
#ifndef REPLICAS
#define REPLICAS 1
#endif
#ifndef EDGES
#define EDGES 1
#endif
#ifndef LEASE
#define LEASE 3
#endif
#ifndef MARGIN
#define MARGIN 2
#endif
#ifndef BOUND
#define BOUND 3
#endif
#ifndef DRIFT
#define DRIFT 1
#endif
#ifndef EDGE_DRIFT
#define EDGE_DRIFT 0        /* what an edge's clock loses beyond its margin */
#endif
#define USED_FOR (LEASE - MARGIN + DRIFT)
#define WAITED_FOR (BOUND - DRIFT)
#define REMOVED_AFTER WAITED_FOR

/* PostgreSQL, as in leases.pml. */
bool changed;
byte marksMade, marksThere;
bool row[REPLICAS];
byte rowSeen[REPLICAS], idle[REPLICAS];
/* The row of a replica's former process. */
bool formerRow[REPLICAS], formerSeen[REPLICAS];
byte formerIdle[REPLICAS];

/* The replicas, as in leases.pml. */
bool old[REPLICAS];
byte marked[REPLICAS];
bool listed[REPLICAS];
byte lookAge[REPLICAS], beatAge[REPLICAS], sentAge[REPLICAS];
byte applied[REPLICAS];     /* the marks that the last applied look has shown, past ones too */
bool leaving[REPLICAS];

/* What its replica has of an edge. */
byte at[EDGES];             /* the replica of its stream */
bool follows[EDGES];        /* the replica's process knows the stream */
bool held[EDGES];           /* it may have a record, or is about to get one */
bool owes[EDGES];           /* it has not acknowledged the drop of the first look that showed the mark or the change */
byte granted[EDGES];        /* ticks until its lease ends */

/* The stream: drops, at most one lease, and the drops behind it. */
bool up[EDGES];             /* it delivers what was sent; false: its messages are lost */
byte before[EDGES], after[EDGES];
bool sent[EDGES];
byte sentLeft[EDGES];       /* of the lease that is on its way, as the edge will count it */

/* The edges. */
bool edgeOld[EDGES], edgeNote[EDGES];
byte edgeLeft[EDGES];       /* ticks until its lease ends, by its own clock */
byte askedAge[EDGES];       /* ticks since it asked for a lease; USED_FOR: it does not wait for one */
bool otherStream[EDGES];    /* since its fill began its stream, or the replica's process, has changed */

byte commitAge;
bool answered, sawNew, promised;

#include "rules.pml"
#include "tree-rules.pml"

inline older(age, most) { if :: age < most -> age++ :: else fi }
inline shorter(left) { if :: left > 0 -> left-- :: else fi }

#ifndef STILL               /* no time passes: no lease ends, no bound is reached */
active proctype Clock() {
  byte k;
  do
  :: d_step {
       for (k : 0 .. REPLICAS - 1) {
         older(lookAge[k], USED_FOR); older(beatAge[k], USED_FOR); older(sentAge[k], USED_FOR);
         if :: row[k] -> older(idle[k], REMOVED_AFTER) :: else fi;
         if :: formerRow[k] -> older(formerIdle[k], REMOVED_AFTER) :: else fi
       }
       for (k : 0 .. EDGES - 1) {
         shorter(granted[k]); shorter(edgeLeft[k]); older(askedAge[k], USED_FOR);
#ifndef EDGE_FROM_ANSWER
         shorter(sentLeft[k])
#endif
       }
       older(commitAge, WAITED_FOR);
       k = 0
     }
  od
}
#endif

/* A new process, with no records, which knows no edges. What the former one has sent may still arrive. */
inline startsAnew(r) {
  old[r] = false; marked[r] = 0; listed[r] = false; applied[r] = 0; leaving[r] = false;
  lookAge[r] = USED_FOR; beatAge[r] = USED_FOR; sentAge[r] = USED_FOR;
  for (k : 0 .. EDGES - 1) {
    if
    :: at[k] == r -> follows[k] = false; held[k] = false; owes[k] = false; granted[k] = 0; otherStream[k] = true
    :: else
    fi
  }
  k = 0
}

/* Behind what was sent before. */
inline sendsDrop(e) { if :: sent[e] -> after[e]++ :: else -> before[e]++ fi; held[e] = false }

/* What one look shows is sent to every edge that may have a record. */
inline sendsDrops(r, isFirst) {
  for (k : 0 .. EDGES - 1) {
    if
    :: IS_SENT(r, k) -> owes[k] = owes[k] || isFirst; sendsDrop(k)
    :: else
    fi
  }
  k = 0
}

proctype Replica(byte r) {
  bool isListed, change, news, isFirst;
  byte made, there, k;

register:
  atomic { row[r] = true; rowSeen[r] = 0; idle[r] = 0; beatAge[r] = 0 }

look:
  atomic { isListed = row[r]; made = marksMade; there = marksThere; change = changed; sentAge[r] = 0 }

  if
  :: atomic { /* Applies. */
       news = LISTS_CHANGE || (there && !marked[r]); isFirst = !marked[r] && !listed[r];
#ifdef EDGES_FIRST
       if :: news -> sendsDrops(r, isFirst) :: else fi
     }
     atomic {
#endif
       if :: news -> old[r] = false :: else fi;
       listed[r] = change; marked[r] = there; applied[r] = made;
#if !defined(EDGES_FIRST) && !defined(LEASE_FIRST)
       if :: news -> sendsDrops(r, isFirst) :: else fi;
#endif
#ifndef LEASE_FIRST
       news = false; isFirst = false;
#endif
       lookAge[r] = (COUNTS(isListed) -> sentAge[r] : USED_FOR); sentAge[r] = USED_FOR;
       change = false; made = 0; there = 0
     }
#ifdef LEASE_FIRST
     atomic { if :: news -> sendsDrops(r, isFirst) :: else fi; news = false; isFirst = false }
#endif
     atomic { if :: !isListed -> goto register :: else -> isListed = false fi }
     if
     :: goto look
     :: atomic { /* Acknowledges what no edge is behind with. That is then true for ever. */
          row[r] && EDGES_DONE(r) -> rowSeen[r] = applied[r];
          for (k : 0 .. EDGES - 1) { if :: at[k] == r -> owes[k] = false :: else fi }
          k = 0; goto look
        }
     :: atomic { row[r] -> BEAT; beatAge[r] = 0; goto look }
#ifdef LEAVES
     :: atomic { /* Ends its edges, and then deletes its row. */
          leaving[r] = true;
          for (k : 0 .. EDGES - 1) { if :: at[k] == r && follows[k] -> sendsDrop(k) :: else fi }
          k = 0
        }
        atomic { EDGES_LEFT(r) -> lookAge[r] = USED_FOR; beatAge[r] = USED_FOR }
        atomic { row[r] = false; rowSeen[r] = 0; idle[r] = 0; startsAnew(r); goto register }
#endif
     fi
#ifdef RESTARTS
  :: atomic { /* The process dies and a new one starts, with a row of its own. */
       !formerRow[r] ->
#ifndef ROW_REMOVED
       formerRow[r] = row[r]; formerSeen[r] = row[r] && (rowSeen[r] & 1); formerIdle[r] = (row[r] -> idle[r] : 0);
#endif
       row[r] = false; rowSeen[r] = 0; idle[r] = 0; startsAnew(r);
       isListed = false; change = false; made = 0; there = 0;
       goto register
     }
#endif
  fi
}

/* A replica's own fill, in one step: leases.pml shows what it takes otherwise. */
proctype Fill(byte r) {
  do
  :: atomic { MAY_FILL(r) && !changed -> old[r] = true }
  od
}

/* An edge's end of the stream, and its replica's answers to its questions for a lease. */
proctype Edge(byte e) {
  do
  :: atomic { /* The stream ends, without a word to the replica. */
       up[e] -> up[e] = false; sent[e] = false; sentLeft[e] = 0; askedAge[e] = USED_FOR; ENDS(e) }
  :: atomic { /* Another one begins, at any replica: with no records, no fill under way and no lease. */
       !up[e] ->
#if REPLICAS == 2
       if :: at[e] = 0 :: at[e] = 1 fi;
#endif
       up[e] = true; follows[e] = true; held[e] = false; owes[e] = false; granted[e] = 0; before[e] = 0; after[e] = 0;
       edgeLeft[e] = 0; otherStream[e] = true; BEGINS(e)
     }
  :: atomic { up[e] && askedAge[e] == USED_FOR && !sent[e] -> askedAge[e] = 0 }
  :: atomic { /* The replica grants what is left of its own lease. */
       up[e] && askedAge[e] < USED_FOR && !sent[e] && follows[e] && HOLDS(at[e]) && !leaving[at[e]] ->
       sent[e] = true; sentLeft[e] = COUNTED(SENT_LEFT(at[e]), askedAge[e]); askedAge[e] = USED_FOR;
       if :: granted[e] < SENT_LEFT(at[e]) -> granted[e] = SENT_LEFT(at[e]) :: else fi
     }
  :: atomic { /* The lease arrives. */
       sent[e] && LEASE_IS_NEXT(e) ->
       if :: sentLeft[e] > edgeLeft[e] -> edgeLeft[e] = sentLeft[e] :: else fi;
       sent[e] = false; sentLeft[e] = 0; before[e] = before[e] + after[e]; after[e] = 0
     }
  :: atomic { /* A drop arrives, and is acknowledged. */
       up[e] && before[e] > 0 -> before[e]--; owes[e] = false; edgeOld[e] = false; DROPS_NOTE(e) }
  od
}

/* Asks its replica, which has a record or reads PostgreSQL. The answer may overtake what is on the stream, or be late. */
proctype EdgeFill(byte e) {
start:
  do
  :: atomic { edgeLeft[e] > 0 && !edgeOld[e] && !edgeNote[e] -> edgeNote[e] = true; otherStream[e] = false }
#ifndef HELD_LATE
     if
     :: atomic { MAY_HOLD(e) -> held[e] = true }
     :: atomic { edgeNote[e] = false; goto start }
     fi;
#endif
     if
     :: atomic { !otherStream[e] && ((FINDS_OLD(at[e]) && ASKED_HOLDS(at[e])) || !changed) -> skip }
     :: atomic { edgeNote[e] = false; goto start }
     fi;
#ifdef HELD_LATE
     if
     :: atomic { MAY_HOLD(e) -> held[e] = true }
     :: atomic { edgeNote[e] = false; goto start }
     fi;
#endif
#ifdef MARKS_READ_LATE
     if
     :: atomic { !otherStream[e] && !marked[at[e]] -> skip }
     :: atomic { edgeNote[e] = false; goto start }
     fi;
#endif
     atomic { if :: edgeNote[e] || EDGE_IGNORES_NOTES -> edgeOld[e] = true :: else fi; edgeNote[e] = false }
  od
}

/* A request begins, finds a record, compares the lease and is answered in one turn, at a replica or at an edge. */
active proctype Request() {
#ifdef EDGE_LOOKUP_FIRST
  do
  :: atomic { IS_LATE && edgeOld[0] -> skip }
     atomic { if :: EDGE_HOLDS(0) -> assert(false) :: else fi }
  od
#else
  do
  :: atomic { IS_LATE && IS_ACCEPTED -> assert(false) }
#ifdef B
  :: atomic { changed && promised && !sawNew -> sawNew = true }
#endif
  od
#endif
}

active proctype Change() {
  bool isSeen;
  atomic { marksMade = 1; marksThere = 1 }
  if
  :: isSeen = TREE_SEEN
  :: true
  fi;
  atomic { marksThere; marksThere = 0; changed = true; commitAge = 0; promised = isSeen; isSeen = false }
  atomic {
    if
    :: TREE_SEEN
    :: commitAge >= WAITED_FOR
    fi;
    answered = true
  }
}

active proctype Sweeper() {
end:
  do
  :: atomic { marksThere -> marksThere = 0 }
  od
}

proctype Remover(byte r) {
  do
  :: atomic { row[r] && idle[r] >= REMOVED_AFTER -> row[r] = false; idle[r] = 0; rowSeen[r] = 0 }
#ifdef RESTARTS
  :: atomic { formerRow[r] && formerIdle[r] >= REMOVED_AFTER -> formerRow[r] = false; formerIdle[r] = 0; formerSeen[r] = false }
#endif
  od
}

init {
  byte k;
  d_step {
    for (k : 0 .. REPLICAS - 1) { lookAge[k] = USED_FOR; beatAge[k] = USED_FOR; sentAge[k] = USED_FOR }
    for (k : 0 .. EDGES - 1) { askedAge[k] = USED_FOR }
    commitAge = WAITED_FOR;
    k = 0
  }
  atomic {
    for (k : 0 .. REPLICAS - 1) { run Replica(k); run Remover(k); run Fill(k) }
    for (k : 0 .. EDGES - 1) { run Edge(k); run EdgeFill(k) }
    k = 0
  }
}
