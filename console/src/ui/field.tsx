import { Field as BaseField } from "@base-ui/react/field";
import type { ComponentProps, ReactNode } from "react";

interface FieldProps extends Omit<ComponentProps<"input">, "onChange" | "value" | "defaultValue"> {
  readonly label: ReactNode;
  /** What the value means, with its unit and limits. */
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A labelled input; its hint and its problem are read with it. */
export function Field({ label, hint, problem, value, onChange, ...rest }: FieldProps) {
  return (
    <BaseField.Root className="field" invalid={problem !== undefined}>
      <BaseField.Label>{label}</BaseField.Label>
      <BaseField.Control
        value={value}
        onValueChange={onChange}
        {...(rest as ComponentProps<typeof BaseField.Control>)}
      />
      {hint && <BaseField.Description className="hint">{hint}</BaseField.Description>}
      <BaseField.Error className="problem" match={problem !== undefined}>
        {problem}
      </BaseField.Error>
    </BaseField.Root>
  );
}

interface TextAreaProps extends Pick<FieldProps, "label" | "hint" | "problem" | "value" | "onChange"> {
  readonly rows?: number;
  readonly placeholder?: string;
}

/** As `Field`, for longer texts. */
export function TextArea({ label, hint, problem, value, onChange, rows = 4, placeholder }: TextAreaProps) {
  return (
    <BaseField.Root className="field" invalid={problem !== undefined}>
      <BaseField.Label>{label}</BaseField.Label>
      <BaseField.Control
        render={<textarea rows={rows} placeholder={placeholder} spellCheck={false} />}
        value={value}
        onValueChange={onChange}
      />
      {hint && <BaseField.Description className="hint">{hint}</BaseField.Description>}
      <BaseField.Error className="problem" match={problem !== undefined}>
        {problem}
      </BaseField.Error>
    </BaseField.Root>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
}

/** A labelled choice of one, by the browser's own control. */
export function Choice<Value extends string>({
  label,
  hint,
  value,
  choices,
  onChange,
  disabled = false,
}: ChoiceProps<Value>) {
  return (
    <BaseField.Root className="field">
      <BaseField.Label>{label}</BaseField.Label>
      <BaseField.Control
        render={
          <select disabled={disabled}>
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
        }
        value={value}
        onValueChange={(chosen) => {
          const choice = choices.find((known) => known.value === chosen);
          if (choice !== undefined) onChange(choice.value);
        }}
      />
      {hint && <BaseField.Description className="hint">{hint}</BaseField.Description>}
    </BaseField.Root>
  );
}
