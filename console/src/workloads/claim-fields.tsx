import { Button } from "../ui/button.tsx";
import { Choice, Field } from "../ui/field.tsx";
import { Plus, X } from "../ui/icons.tsx";
import { type ClaimDraft, type ClaimKind, claimDraft } from "./rule-draft.ts";

/** The most that a rule has. */
const CLAIMS_MAX = 32;
const KINDS: readonly { readonly value: ClaimKind; readonly label: string }[] = [
  { value: "equals", label: "equals the text" },
  { value: "literal", label: "equals the number, true or false" },
  { value: "contains", label: "contains" },
];

interface ClaimFieldsProps {
  readonly claims: readonly ClaimDraft[];
  readonly onChange: (claims: readonly ClaimDraft[]) => void;
}

/** What else a workload's token must carry: a row for each claim. */
export function ClaimFields({ claims, onChange }: ClaimFieldsProps) {
  const change = (id: number, changes: Partial<ClaimDraft>): void =>
    onChange(claims.map((claim) => (claim.id === id ? { ...claim, ...changes } : claim)));
  return (
    <fieldset>
      <legend>Claims</legend>
      <div className="form">
        <p className="hint">
          All of them must hold, and one must pin the workload, such as sub. A dot leads into an object:
          kubernetes.io.namespace.
        </p>
        {claims.map((claim, index) => (
          <Row
            key={claim.id}
            claim={claim}
            number={index + 1}
            onChange={(changes) => change(claim.id, changes)}
            onRemove={() => onChange(claims.filter(({ id }) => id !== claim.id))}
          />
        ))}
        <div>
          <Button disabled={claims.length >= CLAIMS_MAX} onClick={() => onChange([...claims, claimDraft()])}>
            <Plus />
            Add a claim
          </Button>
        </div>
      </div>
    </fieldset>
  );
}

interface RowProps {
  readonly claim: ClaimDraft;
  readonly number: number;
  readonly onChange: (changes: Partial<ClaimDraft>) => void;
  readonly onRemove: () => void;
}

function Row({ claim: { claim, kind, value }, number, onChange, onRemove }: RowProps) {
  const plain = { autoComplete: "off", spellCheck: false };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would have a frame of its own
    <div className="claim-row" role="group" aria-label={`Claim ${number}`}>
      <Field label="Claim" value={claim} onChange={(text) => onChange({ claim: text })} maxLength={256} {...plain} />
      <Choice label="Must" value={kind} choices={KINDS} onChange={(chosen) => onChange({ kind: chosen })} />
      <Field label="Value" value={value} onChange={(text) => onChange({ value: text })} maxLength={1_024} {...plain} />
      <Button look="quiet" className="button-icon" aria-label={`Remove claim ${number}`} onClick={onRemove}>
        <X />
      </Button>
    </div>
  );
}
