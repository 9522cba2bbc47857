import { Field } from "../ui/field.tsx";
import { countOf, LIMIT_MEMBERS, type LimitDraft, limitOf } from "./limit-draft.ts";
import type { Limit } from "./limit-sentence.ts";

interface LimitFieldsProps {
  readonly draft: LimitDraft;
  readonly onChange: (draft: LimitDraft) => void;
  /** What the limit means, as a sentence. */
  readonly sentence: (limit: Limit) => string;
  /** The greatest numbers by the tenant's rules; 0 for each that has none. */
  readonly most?: Limit | undefined;
  /** Before each label, such as `Each user:`, so that two limits on a page have other names. */
  readonly prefix?: string;
}

const MUST_BE = "Must be a whole number, or empty for none.";

export function LimitFields({ draft, onChange, sentence, most, prefix = "" }: LimitFieldsProps) {
  const limit = limitOf(draft);
  return (
    <div className="form">
      <div className="row">
        {LIMIT_MEMBERS.map(({ member, key, label }) => {
          const max = most?.[key] ?? 0;
          return (
            <Field
              key={member}
              label={prefix === "" ? label : `${prefix} ${label.toLowerCase()}`}
              inputMode="numeric"
              value={draft[member]}
              hint={max > 0 ? `At most ${max.toLocaleString("en")} by your organization's rule.` : undefined}
              problem={problemOf(draft[member], max, member === "burst")}
              onChange={(text) => onChange({ ...draft, [member]: text })}
            />
          );
        })}
      </div>
      <p className="hint" role="status">
        {limit === undefined ? "" : sentence(limit)}
      </p>
    </div>
  );
}

/** A burst may be empty under a rule: it is then as many as the cap. */
function problemOf(text: string, max: number, isBurst: boolean): string | undefined {
  const count = countOf(text);
  if (count === undefined) return MUST_BE;
  if (max === 0 || (count === 0 && isBurst)) return undefined;
  return count === 0 || count > max ? `Must be 1 to ${max.toLocaleString("en")}.` : undefined;
}
