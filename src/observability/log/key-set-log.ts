import type { Logger } from "pino";
import { urlWithoutCredentials } from "../../domain/vocabulary/credential-pattern.ts";
import type { KeySetChange } from "../../store/jwks/key-sets.ts";

/** Logs once when fetches of a key set begin to fail, and once when they succeed again, with the tenant. */
export function createKeySetLog(log: Logger): (change: KeySetChange) => void {
  return ({ source: { jwksUrl, jwksOwner }, problem }) => {
    // The query or fragment may contain a secret of any form, the rest a key that was pasted into the wrong member.
    const [url = ""] = jwksUrl.split(/[?#]/, 1);
    const about = {
      jwks_url: urlWithoutCredentials(url),
      tenant_id: jwksOwner.kind === "tenant" ? jwksOwner.tenantId : undefined,
    };
    if (problem === undefined) log.info(about, "a key set can be fetched again");
    else
      log.error(
        { ...about, trouble: problem },
        "a key set cannot be fetched; the last one serves for 10 minutes at most",
      );
  };
}
