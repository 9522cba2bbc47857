import { type RawBuilder, sql } from "kysely";

/** A quarter of all rows are its. */
export const LARGE = "ten_large";

/** What the large tenant has little of, others have much of: so no estimate of one column alone is right. */
export function insertRows(rows: number): RawBuilder<unknown>[] {
  const numbers = sql`generate_series(1, cast(${rows} as int)) as n`;
  const tenant = sql`case when n % 4 = 0 then ${LARGE} else 'ten_' || n % 997 end`;
  const at = sql`timestamptz '2026-02-01' + n * interval '1 second'`;
  const orgs = sql`generate_series(1, 1000) as n`;
  return [
    sql`
      insert into api_keys (
        key_id, tenant_id, secret_hash, secret_prefix, type, name, description, permissions, requests_per_minute,
        requests_per_hour, burst_size, oidc, expires_at, created_at, updated_at, disabled_at, revoked_at, external_id, leaked_at
      )
      select
        'key_' || n, ${tenant}, sha256(convert_to(n::text, 'UTF8')),
        'sk_' || substr(md5(n::text), 1, 9),
        case when n % 3 = 0 and n % 4 > 0 or n % 2000 = 0 then 'publishable' else 'secret' end,
        'Key ' || md5((n * 7)::text), '',
        case when n % 3 = 0 and n % 4 > 0 or n % 2000 = 0 then '["plans:read","users:read"]'::jsonb
          else '["conversations:read","webhooks:read"]'::jsonb end,
        0, 0, 0, null,
        case when n % 5 = 0 and n % 4 > 0 or n % 1400 = 0 then timestamptz '2026-02-02'
          when n % 3 = 0 then timestamptz '2027-01-01' end,
        ${at}, ${at},
        case when n % 7 = 0 and n % 4 > 0 or n % 2200 = 0 then timestamptz '2026-02-02' end,
        case when n % 11 = 0 and n % 4 > 0 or n % 2600 = 0 then timestamptz '2026-02-02' end,
        case when n % 5 = 0 then 'customer ' || n % 5000 end,
        case when n % 13 = 0 and n % 4 > 0 or n % 2800 = 0 then timestamptz '2026-02-02' end
      from ${numbers}`,
    sql`
      insert into audit_events (event_id, at, tenant_id, actor, actor_id, action, target_id, changes, request_id)
      select
        'aud_' || n, ${at}, ${tenant}, '{"kind":"operator"}',
        case when n % 3 = 0 and n % 4 > 0 or n % 20000 = 0 then 'operator' else 'user ' || n % 5000 end,
        case when n % 5 < 2 and n % 4 > 0 or n % 20000 = 0 then 'api_key.revoked' else 'api_key.created' end,
        'key_' || n / 4, '{}', 'req_' || n / 2
      from ${numbers}`,
    sql`
      insert into threads (thread_id, tenant_id, user_id, conversation_key, message_count, created_at, updated_at)
      select 'thr_' || n, ${tenant}, 'user ' || n % 5000, 'c' || n, 1, ${at}, ${at} from ${numbers}`,
    sql`
      insert into key_lifecycle_events (key_id, kind, due, at)
      select 'key_' || n, 'unused', ${at}, ${at} from ${numbers}`,
    sql`
      insert into key_usage_hours (tenant_id, key_id, hour, outcome, count)
      select ${tenant}, 'key_' || n, date_trunc('hour', ${at}), '', 1 from ${numbers}`,
    sql`
      insert into recent_requests (
        at, tenant_id, key_id, is_admitted, request_id, caller, user_id, address, rpc, scope, reason, message
      )
      select
        ${at}, ${tenant}, 'key_' || n / 100, n % 5 > 0, 'req_' || n, 'secret_key', 'user ' || n % 5000, '192.0.2.1', 's/M', '',
        case when n % 5 > 0 then '' when n % 3 = 0 and n % 4 > 0 or n % 20000 = 0 then 'jwt_expired'
          when n % 4 > 0 and n % 7 = 0 then 'internal' else 'rate_limited' end,
        ''
      from ${numbers}`,
    sql`insert into key_usage (key_id, total, successful, failed) select 'key_' || n, 1, 1, 0 from ${numbers}`,
    sql`insert into orgs (org_id, tenant_id, name, created_at) select 'org_' || n, 'ten_' || n, 'Acme', now() from ${orgs}`,
    sql`
      insert into org_members (org_id, user_id, issuer, role, created_at)
      select 'org_' || n % 1000 + 1, 'user ' || n % 50000, 'i' || n, 'viewer', ${at} from ${numbers}`,
    sql`
      insert into org_invitations (invitation_id, org_id, email, role, token_hash, created_at, expires_at)
      select 'ivt_' || n, 'org_' || n % 1000 + 1, 'jo@example.com', 'viewer', sha256(convert_to(n::text, 'UTF8')), ${at}, ${at}
      from ${numbers}`,
    sql`insert into tenant_suspensions (tenant_id, reason) select 'ten_' || n, '' from generate_series(1, 20) as n`,
    sql`
      insert into access_tokens (token_id, tenant_id, key_id, secret_hash, scopes, audience, created_at, expires_at)
      select
        'tok_' || n, ${tenant}, 'key_' || n / 100, sha256(convert_to(n::text, 'UTF8')), '["plans:read"]'::jsonb, 'a', ${at},
        case when n % 3 = 0 then timestamptz '2026-03-02' else ${at} + interval '900 seconds' end
      from ${numbers}`,
    sql`
      insert into used_once (hash, until)
      select sha256(convert_to(n::text, 'UTF8')), ${at} + interval '60 days' from ${numbers}`,
    ...insertDeliveries(numbers, tenant, at),
  ];
}

/** The last ones: what else is inserted is no event as long as no webhook is there. */
function insertDeliveries(
  numbers: RawBuilder<unknown>,
  tenant: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const webhook = sql`case when n % 4 = 0 then 'whk_large_' || n / 4 % 20 else 'whk_' || n % 997 end`;
  return [
    sql`
      insert into webhooks (webhook_id, tenant_id, url, events, description, status, secret)
      select 'whk_' || n, 'ten_' || n, 'https://hooks.example/', '["*"]'::jsonb, '', 'enabled', 'whsec_' from generate_series(0, 996) as n
      union all
      select 'whk_large_' || n, ${LARGE}, 'https://hooks.example/', '["*"]'::jsonb, '', 'enabled', 'whsec_' from generate_series(0, 19) as n`,
    sql`
      insert into webhook_events (event_id, tenant_id, type, subject, at, source, body, prepared_at)
      select 'evt_' || n, ${tenant}, 'api_key.created', 'key_' || n, ${at}, '{}', '{}', ${at} from ${numbers}`,
    sql`
      insert into webhook_deliveries (delivery_id, event_id, webhook_id, tenant_id, type, status, next_at, created_at)
      select
        'whd_' || n, 'evt_' || n, ${webhook}, ${tenant},
        case when n % 3 = 0 and n % 4 > 0 or n % 20000 = 0 then 'api_key.leaked' else 'api_key.created' end,
        case when n % 5 < 2 and n % 4 > 0 or n % 20000 = 0 then 'failed'
          when n % 7 = 0 and n % 4 > 0 or n % 10000 = 0 then 'pending' else 'delivered' end,
        case when n % 7 = 0 then ${at} end, ${at}
      from ${numbers}`,
  ];
}
