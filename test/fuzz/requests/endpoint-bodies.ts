import type { Random } from "../random.ts";
import { JSON_VECTORS, mutateBody } from "./bodies.ts";
import type { Names } from "./messages.ts";
import type { Route } from "./routes.ts";

const HOOKS = [
  { sub: "user-1" },
  { user_id: "user-1", claims: { sub: "user-1", tenant_id: "x" } },
  { data: { context: { user: { id: "user-1" } }, identity: {}, access: {} } },
  [{ token: "sk_unknown", type: "latchkey", url: "https://example.com/", source: "content" }],
];
/** Each with how often it stands in a form. */
const FORM = {
  ...{ grant_type: 0.95, client_id: 0.95, subject_token: 0.9, assertion: 0.3, subject_token_type: 0.9 },
  ...{ requested_token_type: 0.1, scope: 0.3, audience: 0.05, resource: 0.1, actor_token: 0.05, unknown: 0.05 },
};
const QUESTIONS = [
  ...["?scope=plans:read", "?scope=conversations:read&cost=2", "?scope=plans:read&scope=plans:write", "?scope="],
  ...["?cost=0", "?scopes=plans:read", "?scope=plans:read&path=/a?b=c&scope=*", "?scope=%00", "?scope=%ff%ed%a0%80"],
];
const QUERIES = ["", "", "", "", "?dialect=okta", "?dialect=x", "?a=%00&a", "/", "/x"];

/** The body of a hook, or of a report. */
export function hookBody(random: Random): Buffer {
  if (random.chance(0.3)) return random.pick(JSON_VECTORS);
  const body = Buffer.from(JSON.stringify(random.pick(HOOKS)));
  return random.chance(0.4) ? body : mutateBody(body, random);
}

/** The form of an exchange, whole, with members that are missing or too many, or with other bytes. */
export function formBody(names: Names, random: Random): Buffer {
  const form = new URLSearchParams();
  for (const [name, share] of Object.entries(FORM)) {
    const values = names(name) ?? ["x"];
    if (random.chance(share)) form.append(name, random.pick(values));
    if (random.chance(0.02)) form.append(name, random.pick(values));
  }
  const body = Buffer.from(form.toString());
  return random.chance(0.3) ? mutateBody(body, random) : body;
}

export function endpointPath({ name, paths: [path = "/"] }: Route, random: Random): string {
  if (name === "/auth/check") return path + random.pick(QUESTIONS);
  return path + random.pick(QUERIES);
}
