/*
 * The rules of ADRs 62 and 63 that are a condition or one assignment, with what the variants put in their place.
 */
#define NEWEST(changes) ((changes & Y) -> Y : (changes & X))

/* A look: what it asks its server for. */
#ifdef NO_NEWEST
#define LACKS_ASKED(p, s) false
#else
#define LACKS_ASKED(p, s) (asked[p] & ~has[s])
#endif
#ifdef NO_TIMELINE
#define IS_OLDER(p, s) false
#else
#define IS_OLDER(p, s) (TIMELINE(s) < timeline[p] || (USES_HEARD(p) && TIMELINE(s) < heardTimeline[p]))
#endif
#define USES_HEARD(p) (heardTimeline[p] >= timeline[p])
#define IS_REFUSED(p, s) (LACKS_ASKED(p, s) || (USES_HEARD(p) && (heardId[p] & ~has[s])) || IS_OLDER(p, s))
#ifdef KEEPS_UNCOMPARED
#define MAY_KEEP(p, s) true
#else
#define MAY_KEEP(p, s) (keptTimeline < TIMELINE(s) || (keptId == heardId[p] && keptTimeline == heardTimeline[p]))
#endif

/* A promoted server. */
#define IS_PROMOTED(p, s) (timeline[p] && timeline[p] < TIMELINE(s))
#define LACKS(p, s) ((facts[p] | asked[p]) & ~has[s])
#ifdef FACTS_OF_MAKER
#define REMEMBERED(p, s) (p == 1 -> has[s] : 0)
#define KNOWS(p, change) (asked[p] == change)
#else
#define REMEMBERED(p, s) has[s]
#define KNOWS(p, change) (facts[p] & change)
#endif
#ifdef NO_OVERLAY
#define OVERLAY(p, s) skip
#else
#define OVERLAY(p, s) overlay[p] = overlay[p] | (facts[p] & ~has[s])
#endif
#define MAY_MEND(p, change) ((facts[p] & change) && !(has[NEW] & change) && timeline[p] == TIMELINE(NEW))
#ifdef MENDED_AT_ONCE
#define IS_MENDED(p) true
#else
#define IS_MENDED(p) !(facts[p] & ~has[NEW])
#endif
/* A process that has seen all answered changes need not wait for the others. */
#define OTHERS_MEND(p) ((row[1 - p] && !mended[1 - p]) || (formerRow && !formerMended))
#ifdef SEES_ALL
#define HAS_SEEN_ALL(p) true
#else
#define HAS_SEEN_ALL(p) (seenAge[p] < WAITED_FOR)
#endif
#ifdef SERVES_AT_ONCE
#define IS_HELD(p, s) false
#else
#define IS_HELD(p, s) (OTHERS_MEND(p) && (lookServer[p] == s -> isHeld[p] : !HAS_SEEN_ALL(p)))
#endif

/* Requests. A process whose looks stand still reads no longer than it may use its lease: README.md says what that assumes. */
#define HOLDS(p) (lookAge[p] < USED_FOR && !isHeld[p])
#if defined(READS_WITHOUT_LOOKS)
#define FOLLOWS(p) (!isRefused[p])
#elif defined(READS_AFTER_REFUSAL)
#define FOLLOWS(p) (isRefused[p] || lookAge[p] < USED_FOR)
#else
#define FOLLOWS(p) (!isRefused[p] && lookAge[p] < USED_FOR)
#endif
#ifdef UNPROVEN_READS
#define PROVES(p, s) true
#else
#define PROVES(p, s) !(asked[p] & ~has[s])
#endif
#define MAY_READ(p, s) (up[s] && !isHeld[p] && FOLLOWS(p) && PROVES(p, s))
#define MAY_FILL(p, s) (HOLDS(p) && MAY_READ(p, s))
#define MAY_CHANGE(p) (MAY_READ(p, NEW) && timeline[p] == TIMELINE(NEW))

/* Acknowledgements. */
#ifdef MAKER_DIES
#define MAKER 1
#else
#define MAKER 0
#endif
#ifdef UNPROVEN_BOUND
#define X_IS_OVER (commitAge[0] >= WAITED_FOR && KNOWS(MAKER, X))
#else
#define X_IS_OVER isProven
#endif
#define X_IS_SEEN ((KNOWS(0, X) && KNOWS(1, X)) || X_IS_OVER)
#define HAS_SEEN_Y(p) (!row[p] || KNOWS(p, Y))
#ifdef NO_HOLD
#define Y_IS_SEEN (HAS_SEEN_Y(0) && HAS_SEEN_Y(1) && !formerRow)
#else
#define Y_IS_SEEN ((!isYoung && HAS_SEEN_Y(0) && HAS_SEEN_Y(1) && !formerRow) || commitAge[1] >= WAITED_FOR)
#endif
