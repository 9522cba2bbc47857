import { type AccessRules, builtInRoles } from "../domain/access/authority.ts";
import { type Catalogue, createCatalogue, type Scope } from "../domain/access/catalogue.ts";
import { isReserved } from "../domain/access/scopes.ts";
import { signingKey } from "../domain/signatures/webhook-signature.ts";
import { isIdentifier } from "../domain/tokens/identifier-claim.ts";
import { checkedClaims, type RequiredClaims } from "../domain/tokens/required-claims.ts";
import { isBlank } from "../domain/vocabulary/blank.ts";
import { isJsonObject } from "../domain/vocabulary/json-object.ts";
import { quotable } from "../domain/vocabulary/request-fault.ts";
import { longerThan } from "../domain/vocabulary/text-length.ts";
import { readJsonFile, readJsonText } from "./json-file.ts";
import type { Reader } from "./reader.ts";

const ROLES = 'an object such as {"support": ["users:read"]}, whose members are roles with their scopes';
const SCOPES = 'a list such as [{"name": "reports:read", "description": "Read reports.", "publishable": false}]';
const SCOPE_NAME = /^[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}$/;
const SCOPE_MEMBERS = ["name", "description", "publishable"];
const DESCRIPTION_CHARS_MAX = 1_024;
const ROLE_CHARS_MAX = 256;
const SECRET_CHARS_MIN = 32;
const SECRETS_MAX = 2;
/** What a bearer token can be, as a header carries it. */
const VISIBLE = /^[\x21-\x7e]+$/;

/** Claims that users can write themselves at their identity provider. */
const EDITED_BY_USERS = /(?:^|[./])(?:user|unsafe)_?metadata(?:[./]|$)/i;

// Messages name the variable, the entry and its members, but never quote values: a variable may name another file by mistake.

/** What decides who may do what. */
export function readAccess(reader: Reader): AccessRules {
  const catalogue = createCatalogue(readScopes(reader));
  const rolesClaim = readClaim(reader, "OIDC_ROLES_CLAIM") ?? null;
  return {
    catalogue,
    rolesClaim,
    roles: new Map([...builtInRoles(catalogue), ...readRoles(reader, catalogue, rolesClaim)]),
    operatorTenant: readOperatorTenant(reader) ?? null,
  };
}

/** The roles of the file that list reserved scopes: they have them only in the operator's tenant. */
export function reservedRoles({ roles, catalogue }: AccessRules): readonly string[] {
  const builtIn = builtInRoles(catalogue);
  return [...roles]
    .filter(([role, scopes]) => scopes.some(isReserved) && scopes.join() !== builtIn.get(role)?.join())
    .map(([role]) => quotable(role));
}

function readOperatorTenant(reader: Reader): string | undefined {
  const name = "OPERATOR_TENANT";
  const tenant = reader.text(name);
  if (tenant === undefined || isIdentifier(tenant)) return tenant;
  return reader.refuse(
    name,
    "must be a tenant's id: 1 to 256 characters, containing a visible character and no control characters",
  );
}

/** The name of a claim that decides about rights. Refuses those that users can write themselves. */
export function readClaim(reader: Reader, name: string): string | undefined {
  const claim = reader.text(name);
  if (claim === undefined || !EDITED_BY_USERS.test(claim)) return claim;
  return reader.refuse(name, "must not lie within user_metadata or unsafe_metadata: users edit them themselves");
}

/** Secrets that others present, none to two: the second is for changing them. `v1,` belongs to Supabase's form of one. */
export function readSecrets(reader: Reader, name: string): readonly string[] {
  const tokens = (reader.text(name) ?? "").split(/(?<!^v1|,v1),/).map((token) => token.trim());
  if (tokens.length === 1 && tokens[0] === "") return [];
  if (tokens.length > SECRETS_MAX || tokens.some((token) => !isSecret(token))) {
    reader.refuse(
      name,
      `must be one or two secrets, separated by a comma, each of at least ${SECRET_CHARS_MIN} random visible ASCII characters; make one with openssl rand -hex 32`,
    );
    return [];
  }
  return tokens;
}

/** The secrets of the provider's login hook, which are also keys of signatures. */
export function readHookSecrets(reader: Reader): readonly string[] {
  const name = "IDENTITY_HOOK_SECRET";
  const secrets = readSecrets(reader, name);
  if (secrets.every((secret) => signingKey(secret) !== undefined)) return secrets;
  reader.refuse(
    name,
    "must be base64 of at least 24 bytes, perhaps after whsec_ or v1,whsec_, because these bytes sign; make one with openssl rand -hex 32",
  );
  return [];
}

function isSecret(token: string): boolean {
  return token.length >= SECRET_CHARS_MIN && VISIBLE.test(token);
}

/** What a dashboard user's token must carry besides what every token must. */
export function readRequiredClaims(reader: Reader): RequiredClaims {
  const name = "OIDC_REQUIRED_CLAIMS";
  const value = readJsonText(reader, name);
  if (value === undefined) return {};
  const { claims, problem } = checkedClaims(value);
  if (problem !== undefined) reader.refuse(name, problem);
  return claims;
}

function readScopes(reader: Reader): readonly Scope[] {
  const name = "SCOPES_FILE";
  const value = readJsonFile(reader, name);
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    reader.refuse(name, `must hold ${SCOPES}`);
    return [];
  }
  const builtIn = createCatalogue();
  const scopes = new Map<string, Scope>();
  for (const [index, entry] of value.entries()) {
    const problem = scopeProblem(entry, builtIn, scopes);
    if (problem === undefined) scopes.set(entry.name, { publishable: false, ...entry });
    else reader.refuse(name, `entry ${index}: ${problem}`);
  }
  return [...scopes.values()];
}

function scopeProblem(entry: unknown, builtIn: Catalogue, others: ReadonlyMap<string, Scope>): string | undefined {
  if (!isJsonObject(entry)) return "must be an object";
  const { name, description, publishable = false } = entry;
  const unknown = Object.keys(entry).find((member) => !SCOPE_MEMBERS.includes(member));
  if (unknown !== undefined)
    return `has the unknown member "${quotable(unknown)}"; it takes ${SCOPE_MEMBERS.join(", ")}`;
  if (typeof name !== "string") return "name is required, as a string";
  if (builtIn.isAction(name)) return `name: ${name} is built in and cannot be redefined`;
  if (name.includes("*")) return "name must be no wildcard: domain:* follows from the scopes of a domain";
  if (!SCOPE_NAME.test(name)) return 'name must be "domain:action" in lower case, digits, - and _';
  if (others.has(name)) return "name is that of an earlier entry";
  if (typeof description !== "string" || isBlank(description)) return "description is required, as a string";
  if (longerThan(description, DESCRIPTION_CHARS_MAX))
    return `description must be at most ${DESCRIPTION_CHARS_MAX} characters`;
  if (typeof publishable !== "boolean") return "publishable must be true or false";
  const blocked = builtIn.blockedForPublishable(name);
  if (publishable && blocked !== undefined)
    return `publishable must be false, because publishable keys can hold nothing of ${blocked}`;
  return undefined;
}

function readRoles(
  reader: Reader,
  catalogue: Catalogue,
  rolesClaim: string | null,
): ReadonlyMap<string, readonly string[]> {
  const name = "ROLES_FILE";
  const value = readJsonFile(reader, name);
  if (value === undefined) return new Map();
  const isRead = rolesClaim !== null || reader.text("OIDC_ROLES_CLAIM") !== undefined;
  if (!isRead && reader.text("ROLES_FROM_MEMBERSHIP") !== "true")
    reader.refuse(
      name,
      "has no effect without OIDC_ROLES_CLAIM, the claim that holds the roles, or ROLES_FROM_MEMBERSHIP=true",
    );
  if (!isJsonObject(value)) {
    reader.refuse(name, `must hold ${ROLES}`);
    return new Map();
  }
  const roles = new Map<string, readonly string[]>();
  for (const [role, scopes] of Object.entries(value)) {
    const problem = roleProblem(role, scopes, catalogue);
    if (problem === undefined) roles.set(role, [...new Set(scopes as readonly string[])]);
    else reader.refuse(name, `role "${quotable(role)}": ${problem}`);
  }
  return roles;
}

function roleProblem(role: string, scopes: unknown, catalogue: Catalogue): string | undefined {
  if (isBlank(role) || longerThan(role, ROLE_CHARS_MAX))
    return `the name must be 1 to ${ROLE_CHARS_MAX} characters, some visible`;
  if (!Array.isArray(scopes)) return "must be a list of scopes";
  for (const [index, scope] of scopes.entries()) {
    if (typeof scope !== "string") return `scope ${index} must be a string`;
    if (catalogue.isGrantable(scope)) continue;
    const meant = catalogue.nearestScope(scope, "secret");
    const question = meant === undefined ? "" : `; is ${meant} meant?`;
    return `scope ${index} is not a known scope${question}`;
  }
  return undefined;
}
