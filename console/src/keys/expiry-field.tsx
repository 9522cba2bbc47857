import { Choice, Field } from "../ui/field.tsx";
import { exactly, inWords } from "../ui/time.tsx";

/** As chosen: `never`, days from now, or `at` with an instant as typed, in the reader's time zone. */
export interface ExpiryDraft {
  readonly kind: "never" | "30" | "90" | "365" | "at";
  readonly at: string;
}

export const NEVER: ExpiryDraft = { kind: "never", at: "" };
const DAY_MS = 86_400_000;
const CHOICES = [
  { value: "never", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "at", label: "At a time of your choice" },
] as const;

export function ExpiryField({ draft, onChange }: { draft: ExpiryDraft; onChange: (draft: ExpiryDraft) => void }) {
  const expiry = expiryOf(draft, new Date());
  return (
    <fieldset>
      <legend>Expiry</legend>
      <div className="form">
        <div className="row">
          <Choice
            label="The key stops working"
            value={draft.kind}
            choices={CHOICES}
            onChange={(kind) => onChange({ ...draft, kind })}
          />
          {draft.kind === "at" && (
            <Field
              label="Date and time"
              type="datetime-local"
              value={draft.at}
              problem={expiry === undefined ? "Must be a date and time in the future." : undefined}
              onChange={(at) => onChange({ ...draft, at })}
            />
          )}
        </div>
        <p role="status">
          {expiry === null && "It works until it is revoked."}
          {expiry && `It stops working ${inWords(expiry, new Date())}, on ${exactly(expiry)}.`}
        </p>
      </div>
    </fieldset>
  );
}

/** Null: never. Undefined: the text is not an instant in the future. */
export function expiryOf({ kind, at }: ExpiryDraft, now: Date): Date | null | undefined {
  if (kind === "never") return null;
  if (kind !== "at") return new Date(now.getTime() + Number(kind) * DAY_MS);
  const date = new Date(at);
  return date > now ? date : undefined;
}
