import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type ApiKey, KeyStatus, KeyType } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { useNow } from "../ui/now.ts";
import { exactly, inWords } from "../ui/time.tsx";

const UNKNOWN = { name: "Unknown", tone: "quiet" } as const;
const STATUSES: Partial<Record<KeyStatus, { readonly name: string; readonly tone: Tone }>> = {
  [KeyStatus.ACTIVE]: { name: "Active", tone: "good" },
  [KeyStatus.EXPIRED]: { name: "Expired", tone: "quiet" },
  [KeyStatus.DISABLED]: { name: "Disabled", tone: "warn" },
  [KeyStatus.REVOKED]: { name: "Revoked", tone: "quiet" },
};
/** Days before its expiry from which a key is shown to expire. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

function StatusBadge({ status }: { status: KeyStatus }) {
  const { name, tone } = STATUSES[status] ?? UNKNOWN;
  return <Badge tone={tone}>{name}</Badge>;
}

/** The states to see at a glance, the worst first. That a key works is left out where it goes without saying. */
export function KeyBadges({ apiKey: key }: { apiKey: ApiKey }) {
  const expiry = soonExpiry(key, useNow());
  return (
    <>
      {key.leakedAt && key.status !== KeyStatus.REVOKED && <Badge tone="bad">Leaked</Badge>}
      {isRotating(key) && <Badge tone="info">Rotating</Badge>}
      {expiry && (
        <Badge tone="warn" title={exactly(expiry)}>
          Expires {inWords(expiry, new Date())}
        </Badge>
      )}
      {!isRotating(key) && !expiry && <StatusBadge status={key.status} />}
    </>
  );
}

/** Whether a successor has taken the key's place, and the key still works. */
export function isRotating(key: ApiKey): boolean {
  return key.status === KeyStatus.ACTIVE && key.rotatedTo !== undefined;
}

/** When an active key expires, if that is soon. A rotated one ends as it should. */
export function soonExpiry(key: ApiKey, now: Date): Date | undefined {
  if (key.status !== KeyStatus.ACTIVE || key.expiresAt === undefined || isRotating(key)) return undefined;
  const date = timestampDate(key.expiresAt);
  return date.getTime() - now.getTime() < SOON_DAYS * DAY_MS ? date : undefined;
}

export function typeName(type: KeyType): string {
  return type === KeyType.PUBLISHABLE ? "Publishable" : "Secret";
}
