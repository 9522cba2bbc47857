/*
 * A history that goes back (ADRs 62 and 63): a primary fails, its standby is promoted, and the old primary comes back beside it. Two
 * processes, each statement of which goes to any server that is up. README.md says what is modelled; history-variants.ts lists the
 * variants.
 *
 * As in leases.pml, nothing is forced to move, and a step in `atomic` or `d_step` is one statement of PostgreSQL or one turn of an event
 * loop. To be smaller than there, a look and its answer are one step, marks and renewals are left out, and a row of `replicas` shows
 * what its process has followed.
 *
 * Property H: no request that begins after a revocation was acknowledged is accepted.
 */
#define OLD 0               /* the servers: timeline 1 */
#define NEW 1               /* timeline 2 */
#define NOWHERE 2
#define TIMELINE(s) (s + 1)
#define X 1                 /* a revocation on the old primary, before the failover */
#define Y 2                 /* another one on the new primary */

/* In ticks. A lease counts from its look, which may ask for what Redis had a tick before: 2 + 1 is the bound. */
#define USED_FOR 2
#ifndef HEARD_FOR
#define HEARD_FOR 1
#endif
#define WAITED_FOR 3

/* PostgreSQL. */
bool up[2];
byte has[2];                /* changes, with their ids */
byte age;                   /* of the new primary, since a process has known it */
bool isKnown;
bool row[2];                /* the new primary's `replicas`, by process */
bool mended[2];             /* it lacks nothing that the process remembers */
byte idle[2];
bool formerRow, formerMended;       /* of the process that died */
byte formerIdle;

/* Redis. */
byte keptId, keptTimeline;

/* The processes. */
byte asked[2];              /* the newest change that it knows */
byte facts[2];              /* the changes that it remembers */
byte timeline[2];           /* the newest that it has followed */
byte lookAge[2];
byte seenAge[2];            /* of the last look that was followed */
bool isRefused[2];          /* by its last look */
bool isHeld[2];             /* others may still put back changes */
byte overlay[2];            /* denied from memory */
byte old[2];                /* keys whose records it has cached as they were before */
byte lookServer[2];
byte heardId[2], heardTimeline[2], heardAge[2];
bool hasDied;

/* The changes. */
byte commitAge[2];
bool isProven;              /* X: the old primary was still followed after the bound */
bool isYoung;
byte acknowledged;

#include "history-rules.pml"

inline older(age_, most) { if :: age_ < most -> age_++ :: else fi }

active proctype Clock() {
  byte k;
  do
  :: d_step {
       for (k : 0 .. 1) {
         older(lookAge[k], USED_FOR); older(seenAge[k], WAITED_FOR); older(heardAge[k], HEARD_FOR + 1); older(commitAge[k], WAITED_FOR);
         if :: up[NEW] && row[k] -> older(idle[k], WAITED_FOR) :: else fi
       }
       if :: up[NEW] && formerRow -> older(formerIdle, WAITED_FOR) :: else fi;
       if :: isKnown -> older(age, WAITED_FOR) :: else fi;
       k = 0
     }
  od
}

inline hear(p) { heardId[p] = keptId; heardTimeline[p] = keptTimeline; heardAge[p] = 0 }

/* Of two writers at one timeline, the later one finds that the text is not what it has read. */
inline keep(p, s) {
#ifndef NO_REDIS
  if
  :: MAY_KEEP(p, s) -> keptId = NEWEST(has[s]); keptTimeline = TIMELINE(s)
  :: else
  fi
#else
  skip
#endif
}

/* While changes may be missing, only the timeline is news: the id that was kept still has to be found. */
inline keepTimeline(p, s) {
#ifndef NO_REDIS
  if
  :: MAY_KEEP(p, s) -> keptTimeline = TIMELINE(s)
  :: else
  fi
#else
  skip
#endif
}

inline lookAt(p, s) {
  if :: heardAge[p] > HEARD_FOR || !timeline[p] -> hear(p) :: else fi;
  if
  :: IS_PROMOTED(p, s) && LACKS(p, s) ->              /* nothing of this server is used before it is known what it lacks */
     isKnown = true; row[p] = true; idle[p] = 0; mended[p] = false;
     isHeld[p] = IS_HELD(p, s); isRefused[p] = false; old[p] = 0; lookServer[p] = s;
     lookAge[p] = (isHeld[p] -> USED_FOR : 0); seenAge[p] = 0;
     timeline[p] = TIMELINE(s); OVERLAY(p, s); asked[p] = NEWEST(has[s]); keepTimeline(p, s)
  :: else ->
     if
     :: IS_REFUSED(p, s) -> isRefused[p] = true
     :: else ->
        isRefused[p] = false;
        if :: lookServer[p] != s -> old[p] = 0 :: else fi;
        if
        :: s == NEW ->
           isKnown = true;
           idle[p] = 0; row[p] = true; mended[p] = IS_MENDED(p);
           isHeld[p] = IS_HELD(p, s)
        :: else ->
           isHeld[p] = false;
           if :: p == MAKER && commitAge[0] >= WAITED_FOR && (has[s] & X) -> isProven = true :: else fi
        fi;
        lookServer[p] = s; seenAge[p] = 0;
        timeline[p] = TIMELINE(s);
        old[p] = old[p] & ~has[s];
        facts[p] = facts[p] | REMEMBERED(p, s);
        overlay[p] = overlay[p] & ~has[s];
        asked[p] = NEWEST(has[s]);
        lookAge[p] = (isHeld[p] -> USED_FOR : 0);
        keep(p, s)
     fi
  fi;
  hear(p)                                             /* for the next look */
}

proctype Process(byte p) {
  byte f;
  do
  :: atomic { up[OLD] -> lookAt(p, OLD) }
  :: atomic { up[NEW] -> lookAt(p, NEW) }
  :: atomic { up[NEW] && MAY_MEND(p, X) -> has[NEW] = has[NEW] | X }
  :: atomic { MAY_FILL(p, OLD) -> old[p] = old[p] | (3 & ~has[OLD] & ~overlay[p]) }
  :: atomic { MAY_FILL(p, NEW) -> old[p] = old[p] | (3 & ~has[NEW] & ~overlay[p]) }
  :: atomic { /* It dies, with its memory, and another one takes its place. */
       p == 1 && !hasDied ->
       hasDied = true;
       if :: up[NEW] -> formerRow = row[1]; formerMended = mended[1]; formerIdle = idle[1] :: else -> formerRow = true fi;
       row[1] = false; mended[1] = false; idle[1] = 0;
       asked[1] = 0; facts[1] = 0; timeline[1] = 0; lookAge[1] = USED_FOR; seenAge[1] = WAITED_FOR; lookServer[1] = NOWHERE; isRefused[1] = false; isHeld[1] = true;
       overlay[1] = 0; old[1] = 0; heardAge[1] = HEARD_FOR + 1
     }
  od
}

/* A request begins and is answered from the cache, or by one read that proves its server. */
active proctype Request() {
  byte p;
  do
  :: atomic {
       if :: p = 0 :: p = 1 fi;
       if
       :: HOLDS(p) -> assert(!(old[p] & ~overlay[p] & acknowledged))
       :: MAY_READ(p, OLD) -> assert(!(acknowledged & ~has[OLD] & ~overlay[p]))
       :: MAY_READ(p, NEW) -> assert(!(acknowledged & ~has[NEW] & ~overlay[p]))
       :: else
       fi;
       p = 0
     }
  od
}

/* The old primary confirms nothing once it was replaced: its standby is gone. */
active proctype ChangeX() {
  atomic { up[OLD] && !up[NEW] && !has[NEW] && (HOLDS(0) || HOLDS(1)) -> has[OLD] = X; commitAge[0] = 0 }
  atomic { X_IS_SEEN -> acknowledged = acknowledged | X }
}

active proctype ChangeY() {
  atomic {
    MAY_CHANGE(0) || MAY_CHANGE(1) ->
    has[NEW] = has[NEW] | Y; commitAge[1] = 0; isYoung = age < WAITED_FOR
  }
  atomic { Y_IS_SEEN -> acknowledged = acknowledged | Y }
}

active proctype Failover() {
  atomic {
    up[OLD] -> up[OLD] = false; up[NEW] = true;
    has[NEW] = has[OLD];
#ifdef LOSES
    if :: has[NEW] = 0 :: true fi;
#endif
    row[0] = true; row[1] = true
  }
#ifndef STAYS_DOWN
  atomic { up[OLD] = true }                           /* the failback that nobody planned */
#endif
}

active proctype Remover() {
  do
  :: atomic { formerRow && formerIdle >= WAITED_FOR -> formerRow = false; formerIdle = 0 }
#if !defined(LOSES) || defined(REMOVES_LIVING)
  :: atomic { row[0] && idle[0] >= WAITED_FOR -> row[0] = false; idle[0] = 0 }
  :: atomic { row[1] && idle[1] >= WAITED_FOR -> row[1] = false; idle[1] = 0 }
#endif
  od
}

init {
  atomic {
    up[OLD] = true;
    lookAge[0] = USED_FOR; lookAge[1] = USED_FOR; seenAge[0] = WAITED_FOR; seenAge[1] = WAITED_FOR;
    lookServer[0] = NOWHERE; lookServer[1] = NOWHERE; heardAge[0] = HEARD_FOR + 1; heardAge[1] = HEARD_FOR + 1;
    isHeld[0] = true; isHeld[1] = true;
    commitAge[0] = WAITED_FOR; commitAge[1] = WAITED_FOR;
    run Process(0); run Process(1)
  }
}
