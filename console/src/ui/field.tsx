import { type ComponentProps, type ReactNode, useId } from "react";

interface FieldProps extends Omit<ComponentProps<"input">, "onChange" | "value" | "defaultValue"> {
  readonly label: ReactNode;
  /** What the value means, with its unit and limits. */
  readonly hint?: ReactNode;
  /** The fault of the value. */
  readonly problem?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/**
 * A labelled input; its hint and its problem are read with it. A text that is too long is kept and said to be: the browser would
 * cut what is pasted, and say nothing. Of a search the beginning does.
 */
export function Field({
  label,
  hint,
  problem,
  value,
  onChange,
  maxLength = Number.POSITIVE_INFINITY,
  ...rest
}: FieldProps) {
  const isTooLong = rest.type !== "search" && value.length > maxLength;
  const tooLong = `At most ${maxLength.toLocaleString("en")} characters. These are ${value.length.toLocaleString("en")}.`;
  const { id, described, parts } = useParts({ label, hint, problem: isTooLong ? tooLong : problem });
  const change = (text: string): void => onChange(rest.type === "search" ? text.slice(0, maxLength) : text);
  return parts(
    <input id={id} {...described} value={value} onChange={(event) => change(event.currentTarget.value)} {...rest} />,
  );
}

interface TextAreaProps extends Pick<FieldProps, "label" | "hint" | "problem" | "value" | "onChange"> {
  readonly rows?: number;
  readonly placeholder?: string;
}

/** As `Field`, for longer texts. */
export function TextArea({ label, hint, problem, value, onChange, rows = 4, placeholder }: TextAreaProps) {
  const { id, described, parts } = useParts({ label, hint, problem });
  return parts(
    <textarea
      id={id}
      {...described}
      rows={rows}
      placeholder={placeholder}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />,
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
  const { id, described, parts } = useParts({ label, hint });
  const choose = (chosen: string): void => {
    const choice = choices.find((known) => known.value === chosen);
    if (choice !== undefined) onChange(choice.value);
  };
  return parts(
    <select
      id={id}
      {...described}
      disabled={disabled}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>,
  );
}

interface Parts {
  readonly id: string;
  readonly described: Pick<ComponentProps<"input">, "aria-describedby" | "aria-invalid">;
  /** A control with what belongs to it around it. */
  parts(control: ReactNode): ReactNode;
}

function useParts({ label, hint, problem }: Pick<FieldProps, "label" | "hint" | "problem">): Parts {
  const id = useId();
  const isInvalid = problem !== undefined;
  const about = [hint && `${id}-hint`, isInvalid && `${id}-problem`].filter(Boolean).join(" ");
  return {
    id,
    described: { "aria-describedby": about || undefined, "aria-invalid": isInvalid || undefined },
    parts: (control) => (
      <div className="field">
        <label htmlFor={id}>{label}</label>
        {control}
        {hint && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {isInvalid && (
          <p className="problem" id={`${id}-problem`}>
            {problem}
          </p>
        )}
      </div>
    ),
  };
}
