import { useQuery } from "@connectrpc/connect-query";
import { Link } from "wouter";
import { type ApiKey, KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Banner } from "../ui/banner.tsx";
import { useNow } from "../ui/now.ts";
import { Time } from "../ui/time.tsx";
import { leakPlace, replacementOf } from "./enable-leaked-key.tsx";
import { isRotating, soonExpiry } from "./status-badge.tsx";

/** The most important facts about a key: it leaked, it expires, or another one takes its place. */
export function KeyBanners({ apiKey: key }: { apiKey: ApiKey }) {
  const mayChange = useCaller().may("api_keys:write");
  const now = useNow();
  return (
    <>
      {key.leakedAt && key.status !== KeyStatus.REVOKED && (
        <Banner
          tone="bad"
          title={key.status === KeyStatus.DISABLED ? "This key leaked, and was disabled" : "This key leaked, and works"}
          actions={
            mayChange && (
              <Link className="button" href={replacementOf(key)}>
                Create a replacement
              </Link>
            )
          }
        >
          Reported <Time at={key.leakedAt} />
          {leakPlace(key)}. Put another key in its place, then revoke it.
        </Banner>
      )}
      {isRotating(key) && (
        <Banner
          tone="info"
          title={
            <>
              This key ends <Time at={key.expiresAt} />
            </>
          }
          actions={
            <Link className="button" href={`/keys/${key.rotatedTo}`}>
              Open the new key
            </Link>
          }
        >
          Another key takes its place. {lastUse(key)}
        </Banner>
      )}
      {soonExpiry(key, now) && (
        <Banner
          tone="warn"
          title={
            <>
              This key expires <Time at={key.expiresAt} />
            </>
          }
          actions={
            mayChange && (
              <Link className="button" href={`/keys/${key.keyId}/edit`}>
                Change the expiry
              </Link>
            )
          }
        />
      )}
      {key.rotatedFrom && key.status === KeyStatus.ACTIVE && <OldKey keyId={key.rotatedFrom} />}
    </>
  );
}

/** On the page of the new key, while the old one still works. */
function OldKey({ keyId }: { keyId: string }) {
  const { data } = useQuery(ApiKeyService.method.getApiKey, { keyId }, { retry: false });
  const old = data?.result;
  if (old === undefined || !isRotating(old)) return null;
  return (
    <Banner
      tone="info"
      title={
        <>
          The old key ends <Time at={old.expiresAt} />
        </>
      }
      actions={
        <Link className="button" href={`/keys/${keyId}`}>
          Open the old key
        </Link>
      }
    >
      {lastUse(old)}
    </Banner>
  );
}

function lastUse({ lastUsedAt }: ApiKey) {
  if (lastUsedAt === undefined) return "It was never used.";
  return (
    <>
      Last used <Time at={lastUsedAt} />.
    </>
  );
}
