import { secretPrefix } from "../domain/credentials/secret.ts";

export interface SeededKey {
  readonly key_id: string;
  readonly key: string;
}

/** A key to have, as the API's create takes it. */
export interface KeyFields {
  readonly keyType?: string;
  readonly publishableConfig?: { readonly oidc: { readonly issuer: string; readonly jwksUrl: string } };
  readonly [member: string]: unknown;
}

/** Calls the API as a developer would. */
export type CallApi = (method: string, body: object) => Promise<Response>;

/**
 * The key of the last start, `known`, if it still works; else a new one. A restart would otherwise make one more each time.
 *
 * Undefined: the service refuses to make one, for example by the tenant's rules for keys. `warn` gets its message. That must not
 * end the start, since only the running service can change the rules.
 */
export async function seedKey(
  call: CallApi,
  known: string | undefined,
  fields: KeyFields,
  warn: (text: string) => void,
): Promise<SeededKey | undefined> {
  const kept = known === undefined ? undefined : await findKey(call, known, fields);
  if (kept !== undefined) return kept;
  const response = await call("create", fields);
  // Our own service's answers, whose shape the contract fixes.
  if (response.ok) return ((await response.json()) as { result: SeededKey }).result;
  const { message } = (await response.json()) as { message: string };
  warn(`the key "${String(fields.name)}" could not be made, and env.sh is without it: ${message}`);
  return undefined;
}

interface FoundKey {
  readonly key_id: string;
  readonly publishableConfig?: KeyFields["publishableConfig"];
}

/** The record of a key that works. One of another database is not found, nor one whose provider had another port. */
async function findKey(call: CallApi, key: string, { publishableConfig }: KeyFields): Promise<SeededKey | undefined> {
  const response = await call("list", { key_prefix: secretPrefix(key), status: "KEY_STATUS_ACTIVE" });
  if (!response.ok) return undefined;
  const { keys } = (await response.json()) as { keys: readonly FoundKey[] };
  const [found] = keys;
  if (found === undefined) return undefined;
  const isOfProvider = found.publishableConfig?.oidc.jwksUrl === publishableConfig?.oidc.jwksUrl;
  return isOfProvider ? { key_id: found.key_id, key } : undefined;
}
