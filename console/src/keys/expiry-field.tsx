import { Choice, Field } from "../ui/field.tsx";
import { exactly, inWords } from "../ui/time.tsx";
import { EXPIRY_DAYS, type ExpiryDraft, type ExpiryRule, expiryOf, expiryProblem } from "./expiry-draft.ts";

const LABELS = {
  never: "Never",
  "7": "In 7 days",
  "30": "In 30 days",
  "90": "In 90 days",
  "365": "In a year",
  at: "At a time of your choice",
} as const;

interface ExpiryFieldProps {
  readonly draft: ExpiryDraft;
  readonly onChange: (draft: ExpiryDraft) => void;
  readonly rule: ExpiryRule;
}

export function ExpiryField({ draft, onChange, rule }: ExpiryFieldProps) {
  const now = new Date();
  const expiry = expiryOf(draft, now);
  const problem = expiryProblem(draft, rule, now);
  const choices = (["never", ...EXPIRY_DAYS, "at"] as const)
    .filter((kind) => kind === draft.kind || kind === "at" || expiryProblem({ kind, at: "" }, rule, now) === undefined)
    .map((value) => ({ value, label: LABELS[value] }));
  return (
    <div className="form">
      <div className="row">
        <Choice
          label="The key stops working"
          value={draft.kind}
          choices={choices}
          onChange={(kind) => onChange({ ...draft, kind })}
        />
        {draft.kind === "at" && (
          <Field
            label="Date and time"
            type="datetime-local"
            value={draft.at}
            problem={problem}
            onChange={(at) => onChange({ ...draft, at })}
          />
        )}
      </div>
      {draft.kind !== "at" && problem !== undefined && <p className="problem">{problem}</p>}
      {rule.hoursMax > 0 && (
        <p className="hint">Keys live for at most {inDays(rule.hoursMax)} by your organization's rule.</p>
      )}
      <p className="hint" role="status">
        {expiry === null && problem === undefined && "It works until it is revoked."}
        {expiry && `It stops working ${inWords(expiry, now)}, on ${exactly(expiry)}.`}
      </p>
    </div>
  );
}

function inDays(hours: number): string {
  if (hours % 24 !== 0) return `${hours.toLocaleString("en")} hours`;
  return hours === 24 ? "a day" : `${(hours / 24).toLocaleString("en")} days`;
}
