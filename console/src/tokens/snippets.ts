export const LANGUAGES = [
  { value: "curl", label: "curl" },
  { value: "typescript", label: "TypeScript" },
] as const;

export type Language = (typeof LANGUAGES)[number]["value"];

/** A token for five minutes, derived from the key in LATCHKEY_KEY. `url`: the service's address. */
export function deriveSnippetOf(language: Language, url: string): string {
  return SNIPPETS[language](url).trim();
}

const SNIPPETS: Readonly<Record<Language, (url: string) => string>> = {
  curl: (url) =>
    [
      `curl ${url}/api/v1/tokens/derive`,
      '-H "x-api-key: $LATCHKEY_KEY"',
      "-H 'content-type: application/json'",
      `-d '{"scopes": ["plans:read"], "ttl_seconds": 300}'`,
    ].join(" \\\n  "),
  typescript: (url) => `
import { createLatchkeyClient } from "@latchkey/client";

const client = createLatchkeyClient({ baseUrl: "${url}", apiKey: process.env.LATCHKEY_KEY ?? "" });
const { result } = await client.tokens.deriveToken({ scopes: ["plans:read"], ttlSeconds: 300 });

// For the job or the agent, which has no key.
const job = createLatchkeyClient({ baseUrl: "${url}", accessToken: result?.token ?? "" });`,
};
