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
  /** Of the fields, which have shorter labels then. */
  readonly title?: string;
}

const MUST_BE = "Must be a whole number, or empty for none.";

export function LimitFields({ draft, onChange, sentence, most, title }: LimitFieldsProps) {
  const limit = limitOf(draft);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border, and its legend stands in it
    <div className="form limit" role="group" aria-label={title ?? "Limit of the key"}>
      {title && <p className="label">{title}</p>}
      <div className="row">
        {LIMIT_MEMBERS.map(({ member, key, label, short }) => {
          const max = most?.[key] ?? 0;
          return (
            <Field
              key={member}
              label={title === undefined ? label : short}
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
