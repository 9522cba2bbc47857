import { Field } from "../ui/field.tsx";
import { type Limit, limitSentence } from "./limit-sentence.ts";

/** As typed: a number may be incomplete. */
export interface LimitDraft {
  readonly minute: string;
  readonly hour: string;
  readonly burst: string;
}

export const NO_LIMIT: LimitDraft = { minute: "", hour: "", burst: "" };
/** The most that a member of a limit can be. */
const REQUESTS_MAX = 2_147_483_647;
const MUST_BE = "Must be a whole number, or empty for none.";

export function LimitFields({ draft, onChange }: { draft: LimitDraft; onChange: (draft: LimitDraft) => void }) {
  const limit = limitOf(draft);
  const problem = (text: string) => (countOf(text) === undefined ? MUST_BE : undefined);
  return (
    <fieldset>
      <legend>Limit</legend>
      <div className="form">
        <div className="row">
          <Field
            label="Requests per minute"
            inputMode="numeric"
            value={draft.minute}
            problem={problem(draft.minute)}
            onChange={(minute) => onChange({ ...draft, minute })}
          />
          <Field
            label="Requests per hour"
            inputMode="numeric"
            value={draft.hour}
            problem={problem(draft.hour)}
            onChange={(hour) => onChange({ ...draft, hour })}
          />
          <Field
            label="At once (burst)"
            inputMode="numeric"
            value={draft.burst}
            problem={problem(draft.burst)}
            onChange={(burst) => onChange({ ...draft, burst })}
          />
        </div>
        <p role="status">{limit === undefined ? "" : limitSentence(limit)}</p>
      </div>
    </fieldset>
  );
}

/** Undefined: one of them is not a number. */
export function limitOf({ minute, hour, burst }: LimitDraft): Limit | undefined {
  const [requestsPerMinute, requestsPerHour, burstSize] = [countOf(minute), countOf(hour), countOf(burst)];
  if (requestsPerMinute === undefined || requestsPerHour === undefined || burstSize === undefined) return undefined;
  return { requestsPerMinute, requestsPerHour, burstSize };
}

export function draftOf(limit: Limit | undefined): LimitDraft {
  const text = (count = 0): string => (count === 0 ? "" : String(count));
  return { minute: text(limit?.requestsPerMinute), hour: text(limit?.requestsPerHour), burst: text(limit?.burstSize) };
}

function countOf(text: string): number | undefined {
  const digits = text.trim();
  if (digits === "") return 0;
  const count = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  return count <= REQUESTS_MAX ? count : undefined;
}
