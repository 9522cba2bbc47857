import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Problem } from "../ui/states.tsx";

interface OrgFormProps {
  readonly name?: string;
  readonly action: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** `id` is another one for each name: a second call with both is the same call. */
  readonly onSend: (name: string, id: string) => void;
  /** More buttons. */
  readonly children?: ReactNode;
}

/** Asks for an organization's name. */
export function OrgForm({ name: first = "", action, isPending, error, onSend, children }: OrgFormProps) {
  const [{ name, id }, setNamed] = useState(() => named(first));
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSend(name, id);
  };
  return (
    <form className="form" onSubmit={send}>
      <Field
        label="Name of the organization"
        hint="1 to 128 characters. Its members see it."
        value={name}
        onChange={(changed) => setNamed(named(changed))}
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
    </form>
  );
}

function named(name: string): { readonly name: string; readonly id: string } {
  return { name, id: crypto.randomUUID() };
}
