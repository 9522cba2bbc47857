import type { Logger } from "pino";
import type { KeySetChange } from "../../store/jwks/key-sets.ts";

/** Tells the log once when a key set cannot be fetched any more, and once when it can be again, and whose it is. */
export function createKeySetLog(log: Logger): (change: KeySetChange) => void {
  return ({ source: { jwksUrl, jwksOwner }, problem }) => {
    // What comes behind the path may be a secret.
    const [url] = jwksUrl.split(/[?#]/, 1);
    const about = { jwks_url: url, tenant_id: jwksOwner.kind === "tenant" ? jwksOwner.tenantId : undefined };
    if (problem === undefined) log.info(about, "a key set can be fetched again");
    else
      log.error(
        { ...about, trouble: problem },
        "a key set cannot be fetched; the last one serves for 10 minutes at most",
      );
  };
}
