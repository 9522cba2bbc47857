import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { RateLimit, UserRateLimit } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import type { Tone } from "./column.ts";

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

/** `ACTIVE` of an enum as `active`. A value that is younger than this program is shown by its number. */
export function word(enumeration: Readonly<Record<string, number>>, value: number): string {
  const [name = String(value)] = Object.entries(enumeration).find(([, number]) => number === value) ?? [];
  return name.toLowerCase();
}

const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  pending: "good",
  disabled: "bad",
  revoked: "bad",
  expired: "faint",
  ended: "faint",
  accepted: "faint",
};

/** The colour of a status. */
export function toneOf(status: string): Tone | undefined {
  return TONES[status];
}

export function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
