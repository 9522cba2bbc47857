import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { Problem } from "../ui/states.tsx";
import { ALL, EVENT_TYPES } from "./event-types.ts";

export interface WebhookDraft {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
}

interface WebhookFormProps {
  readonly initial: WebhookDraft;
  /** Name of the button. */
  readonly action: string;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onSend: (draft: WebhookDraft) => void;
  readonly onCancel: () => void;
}

/** Where events are sent, and which. */
export function WebhookForm({ initial, action, isPending, error, onSend, onCancel }: WebhookFormProps) {
  const [url, setUrl] = useState(initial.url);
  const [description, setDescription] = useState(initial.description);
  const [hasAll, setAll] = useState(initial.events.includes(ALL));
  const [chosen, setChosen] = useState(initial.events.filter((type) => type !== ALL));
  const events = hasAll ? [ALL] : chosen;
  const guard = useUnsaved(
    url !== initial.url || description !== initial.description || events.join() !== initial.events.join(),
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSend({ url, description, events });
  };
  return (
    <form className="form" onSubmit={send}>
      <Field
        label="URL"
        hint="An https address that the internet can reach. Events are sent there by POST."
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={2_048}
        required
        value={url}
        onChange={setUrl}
      />
      <Field label="Description" maxLength={1_024} autoComplete="off" value={description} onChange={setDescription} />
      <fieldset>
        <legend>Events to send</legend>
        <label className="check">
          <input type="checkbox" checked={hasAll} onChange={(event) => setAll(event.currentTarget.checked)} />
          <span>All events, also types to come</span>
        </label>
        {!hasAll && <Types chosen={chosen} onChange={setChosen} />}
      </fieldset>
      {error !== null && <Problem error={error} />}
      <div className="actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="main" type="submit" busy={isPending}>
          {action}
        </Button>
      </div>
      {guard.question}
    </form>
  );
}

function Types({ chosen, onChange }: { chosen: readonly string[]; onChange: (types: string[]) => void }) {
  // An endpoint may have types that are younger than this page.
  const types = [...new Set([...EVENT_TYPES, ...chosen])];
  return (
    <div className="webhook-types">
      {types.map((type) => (
        <label className="check" key={type}>
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, type] : chosen.filter((other) => other !== type))
            }
          />
          <code>{type}</code>
        </label>
      ))}
    </div>
  );
}
