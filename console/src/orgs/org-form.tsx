import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { useUnsaved } from "../ui/leave-guard.tsx";
import { Problem } from "../ui/states.tsx";

interface OrgFormProps {
  readonly name?: string;
  readonly action: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSend: (name: string) => void;
  /** More buttons. */
  readonly children?: ReactNode;
}

/** Asks for an organization's name. */
export function OrgForm({ name: first = "", action, isPending, error, onSend, children }: OrgFormProps) {
  const [name, setName] = useState(first);
  const guard = useUnsaved(name !== first);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSend(name);
  };
  return (
    <form className="form" onSubmit={send}>
      <Field
        label="Name of the organization"
        hint="1 to 128 characters. Its members see it."
        value={name}
        onChange={setName}
        maxLength={128}
        required
        autoComplete="organization"
      />
      {error && <Problem error={error} />}
      <div className="actions">
        {children}
        <Button look="main" type="submit" busy={isPending}>
          {action}
        </Button>
      </div>
      {guard.question}
    </form>
  );
}
