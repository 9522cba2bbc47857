/*
 * The protocol of ADR 22 for one key, whose record is changed once, from "old" (accepted) to "new" (revoked). README.md
 * says what is modelled and what is not; variants.ts lists the variants, which flags (-D) select, with the verdict that
 * Spin must find.
 *
 * Nothing is forced to move. So every process may also stop for any time or for ever at every step: a pause, a crash, a
 * notification or an answer that is lost. A step in `atomic` or `d_step` is one statement of PostgreSQL, or one
 * turn of a replica's event loop.
 *
 * Property A: no request that begins after the answer to the change is accepted by the old record.
 * Property B: nor one that begins after another request was answered by the new record.
 */
#ifndef REPLICAS
#define REPLICAS 1
#endif
#ifndef FILLS
#define FILLS 2             /* fills under way at once in each replica */
#endif
#ifndef CHANGES
#define CHANGES 1           /* 2: a change is repeated, also while the first is still under way */
#endif

/* In ticks. The replicas' clocks are always slow, those of processes that wait or remove always fast. */
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
#define DRIFT 1             /* the most that a clock gains or loses within LEASE or BOUND */
#endif
#define USED_FOR (LEASE - MARGIN + DRIFT)
#define WAITED_FOR (BOUND - DRIFT)
#ifndef REMOVED_AFTER
#define REMOVED_AFTER WAITED_FOR
#endif

/* PostgreSQL. Marks are sets of bits, one for each change: 1 and 2. */
bool changed;               /* the key is "new" in `api_keys`, and the change is in `key_changes` */
byte marksMade;             /* marks that have been committed */
byte marksThere;            /* those that are still in `key_marks` */
bool row[REPLICAS];         /* `replicas` lists the replica */
byte rowSeen[REPLICAS];     /* its `seen`: the marks that this snapshot shows */
byte idle[REPLICAS];        /* ticks since its `beats` moved */
byte server;                /* 1 after the failover */
byte serverAge;

/* The replicas. */
bool old[REPLICAS];         /* the cache has the old record */
byte note[REPLICAS];        /* the token of the fill that may put a record there */
byte marked[REPLICAS];      /* the marks of the last look */
bool listed[REPLICAS];      /* the last look's snapshot shows the change */
byte lookServer[REPLICAS];  /* the server of the last look */
byte lookAge[REPLICAS];     /* ticks since the sending of the last look that was applied */
byte beatAge[REPLICAS];     /* ticks since the sending of the last renewal that was confirmed */
byte sentAge[REPLICAS];     /* ticks since the sending of the statement under way; USED_FOR: none */

/* The changes. */
byte commitAge[CHANGES];
bool answered;
bool sawNew;                /* B: a request was answered by the new record */
bool promised;              /* B: the mark was seen everywhere before the commit, on a server known for the bound */

#ifdef REMOVER_REMEMBERS
byte idleThere[REPLICAS];   /* `idle`, by the renewals that the standby has */
#endif
#ifdef BY_NUMBER
bool numbered;              /* the change has its number in the log, and is not committed */
bool passed[REPLICAS];      /* the replica has read a higher number before */
#endif

#include "rules.pml"

inline drop(r) {
  old[r] = false;
#if !defined(NO_NOTE) && !defined(NOTE_KEPT)
  note[r] = 0
#endif
}

inline older(age, most) {
  if :: age < most -> age++ :: else fi
}

active proctype Clock() {
  byte k;
  do
  :: d_step {
       for (k : 0 .. REPLICAS - 1) {
         older(lookAge[k], USED_FOR); older(beatAge[k], USED_FOR); older(sentAge[k], USED_FOR);
         if :: row[k] -> older(idle[k], REMOVED_AFTER) :: else fi
#ifdef REMOVER_REMEMBERS
         ; older(idleThere[k], REMOVED_AFTER)
#endif
       }
       for (k : 0 .. CHANGES - 1) {
         older(commitAge[k], WAITED_FOR)
       }
       if :: server == 1 -> older(serverAge, WAITED_FOR) :: else fi;
       k = 0
     }
  od
}

/*
 * Steps 1 to 5 and 11: registers, then looks, applies and writes, one statement after the other. Statements are executed in
 * the moment in which they are sent: later would only shorten the lease, which counts from the sending. A look whose answer
 * is lost is no step here, because it changes nothing.
 */
proctype Replica(byte r) {
  bool isListed, change;
  byte made, there, on;
#ifdef BY_NUMBER
  bool isPassed;
#endif
#ifdef FRESH_CURSOR
  bool isFresh;
#endif

register: /* Step 1. A new row each time: no change waits for the one before. */
  atomic {
    row[r] = true; rowSeen[r] = 0; idle[r] = 0; sentAge[r] = 0;
#ifdef FRESH_CURSOR
    isFresh = true
#endif
  }
  d_step { beatAge[r] = sentAge[r]; sentAge[r] = USED_FOR }

look: /* Step 2: one snapshot. */
  atomic {
    isListed = row[r]; made = marksMade; there = marksThere; change = changed; on = server; sentAge[r] = 0;
#ifdef BY_NUMBER
    if :: numbered && !changed -> isPassed = true :: true fi
#endif
#ifdef MARK_AGES
    if :: there = 0 :: true fi
#endif
  }
#ifdef ACK_FIRST
  atomic { if :: MAY_WRITE -> WRITE_SEEN :: else fi }
#endif

  atomic { /* Step 3, and the lease of step 5 in the same turn. */
    if :: DROPS_ALL_AT(on) -> drop(r) :: else fi;
    if :: LISTS_CHANGE -> drop(r) :: else fi;
    if :: there & ~marked[r] -> drop(r) :: else fi;
    lookServer[r] = on; listed[r] = change; marked[r] = there; change = false; there = 0;
#ifdef FRESH_CURSOR
    isFresh = false;
#endif
#ifdef BY_NUMBER
    passed[r] = passed[r] || isPassed; isPassed = false;
#endif
#ifdef LOOK_FROM_ANSWER
    sentAge[r] = 0;
#endif
    lookAge[r] = (COUNTS(isListed) -> sentAge[r] : USED_FOR); sentAge[r] = USED_FOR;
    if :: !isListed -> made = 0; on = 0; goto register :: else -> isListed = false fi
  }

  if /* Step 4. */
  :: atomic { MAY_WRITE -> WRITE_SEEN; made = 0; on = 0; goto look }
  :: atomic { made = 0; on = 0; goto look }                 /* no news, or the write is lost or finds no row */
  :: atomic { /* The renewal. Its confirmation may be lost. */
       MAY_WRITE -> WRITE_SEEN; BEAT; sentAge[r] = 0; made = 0; on = 0
     }
     atomic {
#ifdef BEAT_FROM_ANSWER
       sentAge[r] = 0;
#endif
       if :: beatAge[r] = sentAge[r] :: true fi;
       sentAge[r] = USED_FOR; goto look
     }
#ifdef LEAVE_FIRST
  :: atomic { row[r] = false; idle[r] = 0; made = 0; on = 0 }
#else
  :: d_step { lookAge[r] = USED_FOR; beatAge[r] = USED_FOR; made = 0; on = 0 }                         /* Step 11. */
     atomic { row[r] = false; idle[r] = 0 }
#endif
  fi
}

/* Step 6. */
proctype Fill(byte r; byte token) {
  do
  :: atomic { MAY_FILL(r) && (!note[r] || IGNORES_NOTES) -> note[r] = TOKEN(token) }
     if
     :: atomic { changed -> if :: note[r] == TOKEN(token) -> note[r] = 0 :: else fi }      /* see README.md */
     :: !changed ->
        atomic {
          if :: note[r] == TOKEN(token) || IGNORES_NOTES -> old[r] = true; note[r] = 0 :: else fi
        }
     fi
  od
}

/* A request begins, finds a record, compares the lease and is answered, all in one turn. Else it reads PostgreSQL. */
active proctype Request() {
  byte r;
#if defined(LOOKUP_FIRST) || defined(CHECK_FIRST) || defined(STALE_CHECK)
  bool has;
#endif
  do
  :: atomic {
#if REPLICAS == 2
       if :: r = 0 :: r = 1 fi;
#endif
#if defined(LOOKUP_FIRST)
       IS_LATE && FINDS_OLD(r) -> has = true
     }
     atomic { if :: HOLDS(r) -> assert(false) :: else fi; has = false; r = 0 }
#elif defined(CHECK_FIRST)
       IS_LATE && HOLDS(r) -> has = true
     }
     atomic { if :: FINDS_OLD(r) -> assert(false) :: else fi; has = false; r = 0 }
#elif defined(STALE_CHECK)
       HOLDS(r) -> has = true
     }
     atomic { if :: FINDS_OLD(r) -> assert(!IS_LATE) :: else fi; has = false; r = 0 }
#else
       if
       :: FINDS_OLD(r) && HOLDS(r) -> assert(!IS_LATE)
#ifdef B
#if REPLICAS == 1
       :: changed -> sawNew = true                  /* of any other replica, without a lease or with the mark */
#else
       :: !(FINDS_OLD(r) && HOLDS(r)) && changed -> sawNew = true
#endif
#endif
       fi;
       r = 0
     }
#endif
  od
}

/* Steps 7 to 9. `m` is the bit of the mark. */
proctype Change(byte i; byte m) {
  bool isSeen, isYoung;
  byte on;
#if defined(ROWS_BEFORE_MARK) || defined(ROWS_BEFORE_COMMIT)
  byte asked;
#endif
#ifdef ROWS_BEFORE_MARK
  asked = ROWS;
#endif
#ifndef NO_MARK
  atomic { marksMade = marksMade | m; marksThere = marksThere | m }
  if
  :: ALL_SEEN(m) -> isSeen = true
  :: true                                                                                      /* 250 ms are over */
  fi;
#endif
#ifdef ROWS_BEFORE_COMMIT
  asked = ROWS;
#endif
#ifdef BY_NUMBER
  numbered = true;
#endif
#ifdef MARK_APART
  atomic { marksThere & m -> marksThere = marksThere & ~m }
#endif

  atomic { /* Step 8: one transaction. If the mark is gone, nobody is answered. */
#if !defined(NO_MARK) && !defined(MARK_APART) && !defined(MARK_UNCHECKED)
    marksThere & m;
#endif
    marksThere = marksThere & ~m;
#ifdef NO_MARK
    marksMade = marksMade | m;
#endif
#ifdef UNCHANGED_AT_ONCE
    if :: changed -> answered = true :: else fi;
#endif
    changed = true; commitAge[i] = 0; on = server;
#ifdef REMOVER_REMEMBERS
    idleThere[0] = idle[0];     /* a standby that has the change has all from before */
#endif
#ifndef NO_HOLD
    isYoung = IS_YOUNG;
#endif
    promised = IS_PROMISED;
    isSeen = false
  }
#ifdef NOBODY_WAITS
  answered = true;
#endif

  atomic { /* Step 9. */
    if
    :: AWAITED(m) && !isYoung && MAY_READ_ROWS(on)
    :: commitAge[i] >= WAITED_FOR
    fi;
    answered = true
  }
}

/* Marks of changes that were not made expire. */
active proctype Sweeper() {
end:
  do
  :: atomic { marksThere -> marksThere = 0 }
  od
}

/* Step 10. It saw `beats` for the first time right after they moved: the worst case. */
proctype Remover(byte r) {
  do
#ifdef REMOVE_UNCOMPARED
  :: row[r] && idle[r] >= REMOVED_AFTER -> atomic { row[r] = false; idle[r] = 0 }
#else
  :: atomic { row[r] && idle[r] >= REMOVED_AFTER -> row[r] = false; idle[r] = 0 }
#endif
  od
}

#ifdef FAILOVER
/*
 * The new primary may lack what the deposed one committed last. It has the change if that was committed: a lost change is
 * no matter of this protocol. The deposed primary answers nobody any more. A restart is a failover that loses nothing but
 * acknowledgements.
 */
active proctype Failover() {
  byte k;
  atomic {
    server = 1; serverAge = 0;
    if
    :: !changed -> if :: marksMade = 0; marksThere = 0 :: marksThere = marksMade :: true fi
    :: else
    fi;
    for (k : 0 .. REPLICAS - 1) {
      rowSeen[k] = rowSeen[k] & marksMade;
      if :: !changed -> row[k] = false; idle[k] = 0 :: rowSeen[k] = 0 :: true fi;
#ifdef REMOVER_REMEMBERS
      idle[k] = (row[k] -> idleThere[k] : 0)
#else
      idle[k] = 0           /* who removes counts anew */
#endif
#ifdef KEEP_ON_FAILOVER
      ; listed[k] = true    /* the new primary uses transaction ids anew that the last look has shown */
#endif
    }
    k = 0
  }
}
#endif

init {
  byte k;
  d_step {
    for (k : 0 .. REPLICAS - 1) {
      lookAge[k] = USED_FOR; beatAge[k] = USED_FOR; sentAge[k] = USED_FOR
    }
    for (k : 0 .. CHANGES - 1) {
      commitAge[k] = WAITED_FOR
    }
    k = 0
  }
  atomic {
    for (k : 0 .. REPLICAS - 1) {
      run Replica(k); run Remover(k); run Fill(k, 1);
#if FILLS == 2
      run Fill(k, 2)
#endif
    }
    run Change(0, 1);
#if CHANGES == 2
    run Change(1, 2);
#endif
    k = 0
  }
}
