import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

export const EXPIRY_DAYS = ["7", "30", "90", "365"] as const;

/** As chosen: `never`, days from now, or `at` with an instant as typed, in the reader's time zone. */
export interface ExpiryDraft {
  readonly kind: "never" | (typeof EXPIRY_DAYS)[number] | "at";
  readonly at: string;
}

/** What the tenant's rules say of expiry. */
export interface ExpiryRule {
  readonly isRequired: boolean;
  /** From the creation on; 0: no rule. */
  readonly hoursMax: number;
  /** When the key was created. Undefined: it will be now. */
  readonly createdAt?: Date | undefined;
}

export const NEVER: ExpiryDraft = { kind: "never", at: "" };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Null: never. Undefined: the text is not an instant in the future. */
export function expiryOf({ kind, at }: ExpiryDraft, now: Date): Date | null | undefined {
  if (kind === "never") return null;
  if (kind !== "at") return new Date(now.getTime() + Number(kind) * DAY_MS);
  const date = new Date(at);
  return date > now ? date : undefined;
}

/** The fault of a choice, as a sentence. */
export function expiryProblem(draft: ExpiryDraft, rule: ExpiryRule, now: Date): string | undefined {
  const expiry = expiryOf(draft, now);
  if (expiry === undefined) return "Must be a date and time in the future.";
  const { isRequired, hoursMax, createdAt = now } = rule;
  if (expiry === null) return isRequired || hoursMax > 0 ? "Your organization's rules require an expiry." : undefined;
  if (hoursMax === 0 || +expiry <= +createdAt + hoursMax * HOUR_MS) return undefined;
  return `Your organization's rule allows at most ${hoursMax.toLocaleString("en")} hours from the key's creation.`;
}

/** The first choice for a new key: never, or the longest of the choices that the rules allow. */
export function firstExpiry(rule: ExpiryRule, now: Date): ExpiryDraft {
  const kinds = ["never", ...EXPIRY_DAYS.toReversed(), "at"] as const;
  const kind = kinds.find((one) => one === "at" || expiryProblem({ kind: one, at: "" }, rule, now) === undefined);
  return { kind: kind ?? "at", at: "" };
}

/** In the reader's time zone, to the minute, as the browser's control has it. */
export function expiryDraftOf(expiresAt: Timestamp | undefined): ExpiryDraft {
  if (expiresAt === undefined) return NEVER;
  const date = timestampDate(expiresAt);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS);
  return { kind: "at", at: local.toISOString().slice(0, 16) };
}
