import { mutateBytes } from "../mutate.ts";
import type { Random } from "../random.ts";
import type { Fields, Lane } from "./lane.ts";
import type { Route } from "./routes.ts";

const SUITED_SHARE = 0.6;
const BROKEN_SHARE = 0.2;
const BROKEN = "broken";

/** Stands for a proof of possession, which is made anew each time that a request is sent. */
export const FRESH_PROOF = "<a new proof>";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
/** Headers that the service reads, each with valid values. */
const READ: Readonly<Record<string, readonly string[]>> = {
  "x-request-id": ["req-1", "a".repeat(129)],
  traceparent: [`00-${TRACE}-b7ad6b7169203331-01`],
  "x-forwarded-for": ["203.0.113.7", "203.0.113.7, 10.0.0.1", "[2001:db8::1]:443"],
  forwarded: ['for="[2001:db8::1]:4711";proto=https, for=10.0.0.1', "for=_hidden"],
  origin: ["https://app.example.com", "null"],
  "sec-fetch-site": ["cross-site"],
  "x-on-behalf-of": ["user-7"],
  "connect-protocol-version": ["1", "2"],
  "connect-timeout-ms": ["5000", "60001", "0"],
  "grpc-timeout": ["5S", "1H", "0n"],
  "content-encoding": ["identity", "gzip"],
  "grpc-encoding": ["identity", "gzip"],
  "x-forwarded-method": ["GET", "POST"],
  "x-forwarded-proto": ["https"],
  "x-forwarded-host": ["a.example", "[::1]:443"],
  "x-forwarded-uri": ["/a?b=c", "//"],
  "x-original-method": ["GET"],
  "x-original-url": ["https://a.example/a?b=c"],
  dpop: ["a.b.c"],
  accept: [
    "application/json",
    "application/problem+json",
    "application/json;q=0.5, application/problem+json;q=0.6",
    "text/html,*/*;q=0.1",
    "application/openmetrics-text",
  ],
  "accept-encoding": ["gzip, br;q=0", "*"],
  "accept-language": ["de"],
  "if-none-match": ['"x"', "*"],
  "user-agent": ["fuzz"],
  cookie: ["a=b"],
  "webhook-id": ["msg_1"],
  "webhook-timestamp": ["1767225600"],
  "webhook-signature": ["v1,AAAA", "v1,"],
  "zitadel-signature": ["t=1767225600,v1=00"],
  "github-public-key-identifier": ["scanner", "unknown"],
  "github-public-key-signature": ["MEUCIQ=="],
};
const NAMES = Object.keys(READ);
const SCHEMES = ["", "Bearer ", "bearer\t", "Basic ", "DPoP ", "Token ", "Bearer Bearer "];

/** Credentials of one kind, whole or broken, and the kind's name in the table. Most are of a kind that the route admits. */
export function credentialsOf(
  lane: Lane,
  { callers }: Pick<Route, "callers">,
  random: Random,
): { readonly kind: string; readonly fields: Fields } {
  const kind = random.pick(random.chance(SUITED_SHARE) ? callers : Object.keys(lane.credentials));
  const fields = lane.credentials[kind] ?? [];
  if (fields.length === 0 || !random.chance(BROKEN_SHARE)) return { kind, fields };
  return { kind: BROKEN, fields: broken(fields, lane, random) };
}

/** Whole credentials of a kind that the route admits. */
export function soundOf(
  lane: Lane,
  { callers }: Pick<Route, "callers">,
  random: Random,
): ReturnType<typeof credentialsOf> {
  const kind = random.pick(callers);
  return { kind, fields: lane.credentials[kind] ?? [] };
}

function broken(whole: Fields, lane: Lane, random: Random): Fields {
  const fields = whole.map(([name, value]) => [name, value === FRESH_PROOF ? lane.oldProof : value] as const);
  const at = random.below(fields.length);
  const others = lane.credentials[random.pick(Object.keys(lane.credentials))] ?? [];
  switch (random.below(5)) {
    case 0:
      return fields.filter((_, index) => index !== at);
    case 1:
      return [...fields, ...others];
    case 2:
      return fields.map(([, value]) => [random.pick(["x-api-key", "authorization"]), value]);
    case 3:
      return fields.map(([name, value]) => [name, random.pick(SCHEMES) + (value.split(" ").at(-1) ?? "")]);
    default:
      return fields.map(([name, value], index) => [name, index === at ? mutateField(value, random) : value]);
  }
}

/** Now and then headers of other kinds, whole or broken. */
export function furtherFields(random: Random): Fields {
  if (random.chance(0.7)) return [];
  return Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick(NAMES);
    const value = random.pick(READ[name] ?? []);
    return [name, random.chance(0.5) ? value : mutateField(value, random)];
  });
}

const NOT_IN_FIELDS = /[^\t\x20-\x7e\x80-\xff]/g;

/** A field's value of bytes that HTTP allows: what it does not allow never reaches the service's own code. */
export function mutateField(value: string, random: Random): string {
  return mutateBytes(Buffer.from(value, "latin1"), random, SCHEMES)
    .toString("latin1")
    .replace(NOT_IN_FIELDS, "")
    .trim();
}
