import { repeat } from "../concurrency/repeat.ts";
import type { KeyClock } from "../domain/vocabulary/clock.ts";
import type { StoredKeysIssuer } from "../store/jwks/issuer/issuer.ts";
import { createSigningKeyStore } from "../store/sql/access-tokens/signing-keys.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import type { Setup } from "./setup.ts";
import type { Watch } from "./watch.ts";

/** Interval in which another replica may have changed the signing keys. */
const REFRESH_MS = 60_000;
export const UNREAD = "the signing keys of tokens could not be read: it is tried again every minute";

/** What issues and verifies tokens of the service's own. Undefined: `TOKEN_SECRET` and `TOKEN_ISSUER` are not set. */
export async function openTokenIssuer(
  { config, secrets, life, options }: Setup,
  { conditions }: Watch,
  { database, keyClock }: { readonly database: SqlDatabase; readonly keyClock: KeyClock },
): Promise<StoredKeysIssuer | undefined> {
  if (config.accessTokens === null) return undefined;
  // Signing code is loaded only where tokens are issued.
  const { createIssuer } = await import("../store/jwks/issuer/issuer.ts");
  const issuer = createIssuer({
    issuer: config.accessTokens.issuer,
    store: createSigningKeyStore(database),
    clock: keyClock,
    secrets: () => secrets.now.accessTokens?.secrets ?? [],
    onUndecryptable: conditions.error,
  });
  await issuer.refresh();
  const loop = repeat(issuer.refresh, {
    pollMs: options.purgeMs ?? REFRESH_MS,
    onFault: (err) => conditions.warn(UNREAD, err),
    isDelayed: true,
  });
  life.onIdle(loop.stop);
  return issuer;
}
