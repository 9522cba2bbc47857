import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { RateLimit, UserRateLimit } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import type { AuditEvent } from "../../../clients/typescript/src/index.ts";

/** To the second, as the API's JSON mostly has it. Empty: no instant. */
export function instant(timestamp: Timestamp | undefined): string {
  return timestamp === undefined
    ? ""
    : timestampDate(timestamp)
        .toISOString()
        .replace(/\.\d+Z$/, "Z");
}

/** As `--rate-limit` takes it, and the limit of each user if there is one. */
export function limits(limit: RateLimit | undefined): string {
  const perUser = limit?.perUser;
  return perUser === undefined ? caps(limit) : `${caps(limit)} (each user ${caps(perUser)})`;
}

function caps(limit: UserRateLimit | RateLimit | undefined): string {
  const { requestsPerMinute = 0, requestsPerHour = 0, burstSize = 0 } = limit ?? {};
  const parts = [
    ...(requestsPerMinute > 0 ? [`${requestsPerMinute}/min`] : []),
    ...(requestsPerHour > 0 ? [`${requestsPerHour}/h`] : []),
    ...(burstSize > 0 ? [`burst=${burstSize}`] : []),
  ];
  return parts.length > 0 ? parts.join(",") : "none";
}

/** Who an actor is, in a word. Empty: unknown. */
export function actorName({
  kind = "",
  userId = "",
  keyId = "",
}: {
  kind?: string;
  userId?: string;
  keyId?: string;
}): string {
  return userId || keyId || kind;
}

/** The names of the members that an event says were changed, or why its call was refused. The values are in the JSON. */
export function changed({ changes, refusal }: AuditEvent): string {
  if (refusal === undefined) return Object.keys(changes).join(",");
  return refusal.count > 1 ? `${refusal.reason} (${refusal.count} calls)` : refusal.reason;
}

export function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
