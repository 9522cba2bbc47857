import "../styles/keys.css";
import "../styles/workloads.css";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Choice, Field, TextArea } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { ClaimFields } from "./claim-fields.tsx";
import { type KeySource, type RuleDraft, TTL_SECONDS_MAX, TTL_SECONDS_MIN } from "./rule-draft.ts";
import { TokenFields } from "./token-fields.tsx";

interface RuleFormProps {
  readonly draft: RuleDraft;
  readonly change: (changes: Partial<RuleDraft>) => void;
  /** Before all that it fills. */
  readonly platform?: ReactNode;
  /** What keeps the form from being sent. */
  readonly missing: readonly string[];
  readonly note?: ReactNode;
  readonly error: Error | null;
  readonly send: { readonly label: string; readonly isBusy: boolean; readonly isDisabled?: boolean };
  readonly onSend: () => void;
  readonly onCancel: () => void;
}

const SOURCES: readonly { readonly value: KeySource; readonly label: string }[] = [
  { value: "discovered", label: "Found from the issuer's metadata" },
  { value: "url", label: "At a URL" },
  { value: "pasted", label: "Pasted, for an issuer that cannot be reached" },
];

/** Which workloads get tokens, and what these may do. */
export function RuleForm(props: RuleFormProps) {
  const { draft, change, missing, error, send, onSend, onCancel } = props;
  const isDisabled = missing.length > 0 || send.isDisabled === true;
  return (
    <form
      className="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDisabled) onSend();
      }}
    >
      <Card title="Workloads">
        {props.platform}
        <Text label="Name" hint="To find it again: 1 to 128 characters." max={128} {...bound("name")} />
        <Text label="Issuer" hint="The exact value of iss in a workload's token." max={2_048} {...bound("issuer")} />
        <Text
          label="Audience"
          hint="The value that aud must be or contain. Let it name your organization, since others may have a rule for the same issuer."
          max={1_024}
          {...bound("audience")}
        />
        <Choice
          label="The issuer's keys"
          value={draft.source}
          choices={SOURCES}
          onChange={(source) => change({ source })}
        />
        {draft.source === "url" && (
          <Text label="Key set URL" hint="An https address of a JWK set." max={2_048} {...bound("jwksUrl")} />
        )}
        {draft.source === "pasted" && (
          <TextArea
            label="Key set"
            hint="A JWK set with public keys. Paste it again when the issuer has new keys."
            rows={5}
            value={draft.jwks}
            onChange={(jwks) => change({ jwks })}
            placeholder={'{"keys": […]}'}
          />
        )}
        <ClaimFields claims={draft.claims} onChange={(claims) => change({ claims })} />
      </Card>
      <Card title="Their tokens">
        <TokenFields draft={draft} change={change} />
        <Field
          label="Valid for, in seconds"
          hint={`${TTL_SECONDS_MIN} to ${TTL_SECONDS_MAX}.`}
          type="number"
          min={TTL_SECONDS_MIN}
          max={TTL_SECONDS_MAX}
          value={draft.ttl}
          onChange={(ttl) => change({ ttl })}
        />
      </Card>
      <div className="form-footer">
        {error !== null && <Problem error={error} />}
        <div className="form-footer-line">
          <div className="hint">{missing.length > 0 ? `Still needed: ${missing.join(", ")}.` : props.note}</div>
          <div className="actions">
            <Button onClick={onCancel}>Cancel</Button>
            <Button look="main" type="submit" disabled={isDisabled} busy={send.isBusy}>
              {send.label}
            </Button>
          </div>
        </div>
      </div>
    </form>
  );

  function bound(member: "name" | "issuer" | "audience" | "jwksUrl") {
    return { value: draft[member], onChange: (text: string) => change({ [member]: text }) };
  }
}

interface TextProps {
  readonly label: string;
  readonly hint: string;
  readonly max: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Text({ max, ...rest }: TextProps) {
  return <Field maxLength={max} autoComplete="off" spellCheck={false} {...rest} />;
}
