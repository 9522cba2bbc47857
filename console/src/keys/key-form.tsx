import { type ReactNode, useState } from "react";
import type { KeyPolicy } from "../../../clients/typescript/src/gen/latchkey/v1/key_policy_service_pb.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";
import { AdvancedFields } from "./advanced-fields.tsx";
import type { ExpiryRule } from "./expiry-draft.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { type KeyDraft, maskOf, NEW_KEY } from "./key-draft.ts";
import { LimitFields } from "./limit-fields.tsx";
import type { Limit } from "./limit-sentence.ts";
import { ScopePicker } from "./scope-picker.tsx";

interface KeyFormProps {
  readonly draft: KeyDraft;
  readonly change: (changes: Partial<KeyDraft>) => void;
  readonly rules: KeyPolicy | undefined;
  readonly expiryRule: ExpiryRule;
  readonly limitSentence: (limit: Limit) => string;
  /** After name and description. */
  readonly basics?: ReactNode;
  /** What keeps the form from being sent. */
  readonly missing: readonly string[];
  /** Beside what is missing. */
  readonly note?: ReactNode;
  readonly error: Error | null;
  readonly send: { readonly label: string; readonly isBusy: boolean; readonly isDisabled?: boolean };
  readonly onSend: () => void;
  readonly onCancel: () => void;
}

/** All that a person says of a key, in one column, with a footer that stays. */
export function KeyForm(props: KeyFormProps) {
  const { draft, change, rules, missing, error, send, onSend, onCancel } = props;
  const isDisabled = missing.length > 0 || send.isDisabled === true;
  return (
    <form
      className="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDisabled) onSend();
      }}
    >
      <Card title="Basics">
        <Field
          label="Name"
          hint="To find it again: 1 to 128 characters."
          value={draft.name}
          onChange={(name) => change({ name })}
          maxLength={128}
          autoComplete="off"
        />
        <Field
          label="Description"
          value={draft.description}
          onChange={(description) => change({ description })}
          maxLength={1_024}
          autoComplete="off"
        />
        {props.basics}
      </Card>
      <Card title="Scopes">
        <ScopePicker
          chosen={draft.permissions}
          onChange={(permissions) => change({ permissions })}
          isPublishable={draft.type === "publishable"}
          allowed={rules?.permissions ?? []}
        />
      </Card>
      <Card title="Limits">
        <LimitFields
          draft={draft.limit}
          onChange={(limit) => change({ limit })}
          sentence={props.limitSentence}
          most={rules?.maxRateLimit}
        />
      </Card>
      <Card title="Expiry">
        <ExpiryField draft={draft.expiry} onChange={(expiry) => change({ expiry })} rule={props.expiryRule} />
      </Card>
      <Advanced draft={draft} change={change} rules={rules} />
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
}

function Advanced({ draft, change, rules }: Pick<KeyFormProps, "draft" | "change" | "rules">) {
  const { name, description, permissions, limit, expiry } = draft;
  const isUsed = maskOf({ ...NEW_KEY, name, description, permissions, limit, expiry }, draft).length > 0;
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <details
      className="card advanced"
      open={isOpen || rules?.allowedIpsRequired === true}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <h2>Advanced</h2>
        <span className="hint">Addresses, browsers, a limit for each user, your id, metadata</span>
      </summary>
      <AdvancedFields draft={draft} change={change} rules={rules} />
    </details>
  );
}
