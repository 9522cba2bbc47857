/**
 * Contract tests that also run on the embedded store, which is PostgreSQL in the process, on one connection and without Redis.
 * All run on PostgreSQL with Redis. `test/store` holds both drivers to the same suites, so here is what those do not show:
 * limits in memory, and flows over several tables, wake-ups and background work. Each with the reason.
 */
export const ON_EMBEDDED: Readonly<Record<string, string>> = {
  "api-keys.golden": "whole responses, so the types of all columns, and limits in memory",
  "key-in-use.security": "changes of a key that is in use bind at once, without Redis",
  "key-requests": "repeated calls find the first one's result, with its transaction on the only connection",
  "rate-limit": "limits in memory are exact",
  "user-limit": "each user has a budget in memory",
  "organizations.flow": "founding, invitations, roles and switches, over several tables",
  "redeliver-webhook-events.happy":
    "the SQL of webhooks, their deliveries and leases, beside their workers on the only connection",
  "conversation-retention": "the purge of conversations",
  "erase-tenant.happy": "an erasure in steps over all tables",
};

/** Files that `npm test` leaves to `npm run test:all`: suites of `test/store` and unit tests show most of it. */
export const SLOW_ON_EMBEDDED: Readonly<Record<string, string>> = {
  "list-api-keys.filters": "the SQL of filters and pages, and the order of texts",
  "rate-limit-headers": "limits in memory are reported",
  "changed-limits": "a changed limit binds what was spent in memory",
  "rotated-budget": "a rotation's keys share one budget in memory",
  cost: "a cost is spent in one step in memory",
  "get-api-key-usage.series": "the SQL of hours and days, and uses that are not stored yet",
  "list-top-keys.happy": "the SQL of sums over keys",
  "list-audit-events.happy": "an audit entry is committed with its change, and listed by its position",
  "list-requests.happy": "recent requests are stored in batches beside other work on the only connection",
  "send-message.retries": "a repeated message is stored once",
  "get-conversation-state.waiting": "readers are woken without a second connection that listens",
  "runs.order": "runs of a conversation are taken in order, on the only connection",
  "audit-retention": "the purge of audit entries",
  "usage-retention": "the purge of usage",
  "request-retention": "the purge of recent requests",
};
