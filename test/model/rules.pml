/*
 * The rules of ADR 22 that are a condition or one assignment, with what the variants put in their place. Steps are those
 * of the ADR.
 */

/* Step 3. */
#ifdef KEEP_ON_FAILOVER
#define DROPS_ALL_AT(on) false
#else
#define DROPS_ALL_AT(on) (on != lookServer[r])
#endif
#if defined(FRESH_CURSOR)
#define LISTS_CHANGE (change && !listed[r] && !isFresh)
#elif defined(BY_NUMBER)
#define LISTS_CHANGE (change && !listed[r] && !passed[r])
#else
#define LISTS_CHANGE (change && !listed[r])
#endif

/* Step 4. On another server than its own a snapshot may show transaction ids that are still to be used there. */
#ifdef SEEN_ELSEWHERE
#define MAY_WRITE (row[r])
#define WRITE_SEEN rowSeen[r] = (on == server || marksMade -> made : 1)
#else
#define MAY_WRITE (row[r] && on == server)
#define WRITE_SEEN rowSeen[r] = made
#endif
#ifdef REMOVER_REMEMBERS
#define BEAT idle[r] = 0; if :: idleThere[r] = 0 :: true fi
#else
#define BEAT idle[r] = 0
#endif

/* Step 5. */
#if defined(NO_LEASE)
#define HOLDS(r) true
#elif defined(LEASE_BY_LOOK)
#define HOLDS(r) (lookAge[r] < USED_FOR)
#elif defined(LEASE_BY_BEAT)
#define HOLDS(r) (beatAge[r] < USED_FOR)
#else
#define HOLDS(r) (lookAge[r] < USED_FOR && beatAge[r] < USED_FOR)
#endif
#ifdef UNLISTED_LOOKS
#define COUNTS(isListed) true
#else
#define COUNTS(isListed) isListed
#endif

/* Step 6. */
#if defined(USE_MARKED) || defined(FILL_MARKED)
#define MAY_FILL(r) (HOLDS(r) && !old[r])
#else
#define MAY_FILL(r) (HOLDS(r) && !old[r] && !marked[r])
#endif
#ifdef NO_NOTE
#define IGNORES_NOTES true
#else
#define IGNORES_NOTES false
#endif
#ifdef NOTE_FLAG
#define TOKEN(token) 1
#else
#define TOKEN(token) token
#endif

/* Step 7. */
#ifdef USE_MARKED
#define FINDS_OLD(r) (old[r])
#else
#define FINDS_OLD(r) (old[r] && !marked[r])
#endif
#define HAS_SEEN(r, m) (!row[r] || (rowSeen[r] & m))
#if REPLICAS == 1
#define ALL_SEEN(m) HAS_SEEN(0, m)
#else
#define ALL_SEEN(m) (HAS_SEEN(0, m) && HAS_SEEN(1, m))
#endif

/* Step 9. The process knows the new server from the failover on: the worst case. */
#define IS_YOUNG (server == 1 && serverAge < WAITED_FOR)
#if !defined(ROWS_BEFORE_MARK) && !defined(ROWS_BEFORE_COMMIT)
#define AWAITED(m) ALL_SEEN(m)
#else
#define ROWS row[0]
#define AWAITED(m) (!asked || HAS_SEEN(0, m))
#endif
#ifdef SAME_SERVER
#define MAY_READ_ROWS(on) (on == server)
#else
#define MAY_READ_ROWS(on) true
#endif

/* Property B is promised for changes whose mark was seen in time, on a server that was not new. */
#if defined(PROMISED_ALWAYS)
#define IS_PROMISED true
#elif defined(PROMISED_YOUNG)
#define IS_PROMISED isSeen
#else
#define IS_PROMISED (isSeen && !IS_YOUNG)
#endif
/* A request that begins now must not be accepted by the old record. */
#ifdef B
#define IS_LATE (answered || (sawNew && promised))
#else
#define IS_LATE answered
#endif
