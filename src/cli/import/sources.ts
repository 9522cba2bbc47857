import type { Source } from "./source.ts";
import { betterAuth } from "./sources/better-auth.ts";
import { kong } from "./sources/kong.ts";
import { latchkey } from "./sources/latchkey.ts";
import { litellm } from "./sources/litellm.ts";
import { csv, ndjson } from "./sources/table.ts";
import { unkey } from "./sources/unkey.ts";

/** The values of `--from`. */
export const SOURCES = {
  csv,
  ndjson,
  unkey,
  litellm,
  kong,
  "better-auth": betterAuth,
  latchkey,
} as const satisfies Record<string, Source>;
