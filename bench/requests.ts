import type { RequestSet } from "./load/messages.ts";
import type { Probe } from "./server.ts";
import type { World } from "./world.ts";

/** The call of a scenario's clients. */
export type Question = "verify" | "check" | "list-threads";
/**
 * What it shows: a secret key with a limit, or without one, fenced or revoked; a publishable key with a token used once, or with one of a
 * thousand used again and again, its users limited or not.
 */
export type Credentials =
  | "secret"
  | "unlimited-secret"
  | "fenced-secret"
  | "revoked-secret"
  | "fresh-token"
  | "repeated-token"
  | "limited-user";

export const PATHS: Readonly<Record<Question, string>> = {
  verify: "/api/v1/auth/verify",
  check: "/auth/check",
  "list-threads": "/api/v1/llm/gateway/list-threads",
};

const REPEATED_TOKENS = 1_000;

export function probe(question: Question, path: string, headers: Readonly<Record<string, string>>): Probe {
  if (question === "check") return { method: "GET", path, headers, body: null };
  return { method: "POST", path, headers: { "Content-Type": "application/json", ...headers }, body: "{}" };
}

/** Credential headers for the load; `count` matters only where each is used once. */
export function credentialHeaders(world: World, kind: Credentials, count: number): Record<string, string>[] {
  const secrets = secretsOf(world, kind);
  if (secrets.length > 0) return secrets.map((secret) => ({ "X-API-Key": secret }));
  const publishable = kind === "limited-user" ? world.keys.userLimited : world.keys.publishable;
  const tokens = world.users.tokens(kind === "fresh-token" ? count : REPEATED_TOKENS);
  return tokens.map((token, n) => ({
    "X-API-Key": publishable[n % publishable.length] ?? "",
    Authorization: `Bearer ${token}`,
  }));
}

/** The secret keys that requests are made with; none where they come with tokens. */
export function secretsOf({ keys }: World, kind: Credentials): readonly string[] {
  const secrets: Partial<Record<Credentials, readonly string[]>> = {
    secret: keys.secrets,
    "unlimited-secret": keys.unlimited,
    "fenced-secret": keys.fenced,
    "revoked-secret": keys.revoked,
  };
  return secrets[kind] ?? [];
}

/** The bytes of one request. */
export function wire({ method, path, headers, body }: Probe): string {
  const all = { Host: "127.0.0.1", ...headers, ...(body !== null && { "Content-Length": `${body.length}` }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}

export function requestSet(name: string, probes: readonly Probe[], order: RequestSet["order"]): RequestSet {
  return { name, order, requests: probes.map(wire) };
}
