import { KINDS, type ProxyRule, queryOf } from "./proxy-checks.ts";

/** Beside the key, an entry of nginx' hash holds its length and a pointer. */
const ENTRY_BYTES = 32;
const BUCKET_BYTES_MIN = 128;

/** Maps from a request to what `/auth/check` is asked, for the `http` block of nginx. */
export function nginxMap(rules: readonly ProxyRule[]): string {
  const entries = rules.flatMap(entriesOf);
  const longest = Math.max(0, ...entries.map(([key]) => key.length));
  const bytes = Math.max(BUCKET_BYTES_MIN, 2 ** Math.ceil(Math.log2(longest + ENTRY_BYTES)));
  return [
    "# Made by protoc-gen-latchkey-policy from (latchkey.v1.policy). Include it in the block http, after",
    `# map_hash_bucket_size ${bytes};`,
    "",
    "map $http_x_api_key $latchkey_caller {",
    "  default secret_key;",
    '  ""      dashboard_user;',
    '  "~^pk_" publishable_key;',
    "}",
    "",
    "# The query of /auth/check. `anyone`: let it pass without a check. `refused`: let it never pass.",
    'map "$latchkey_caller $uri" $latchkey_query {',
    "  default refused;",
    ...rules.flatMap(({ path, stricter }) =>
      stricter.map((who) => `  # ${path}: ${who} are refused here, not by guard.connect`),
    ),
    ...entries.map(([key, value]) => `  "${key}" "${value}";`),
    "}",
    "",
  ].join("\n");
}

function entriesOf({ path, checks }: ProxyRule): readonly (readonly [key: string, value: string])[] {
  return KINDS.flatMap((kind) => {
    const value = checks === undefined ? "anyone" : queryOf(checks[kind]);
    return value === undefined ? [] : [[`${kind} ${path}`, value] as const];
  });
}
