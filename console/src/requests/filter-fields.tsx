import { useEffect, useState } from "react";
import { Choice, Field } from "../ui/field.tsx";
import { REASONS_IN_WORDS, reasonInWords } from "../usage/reasons.ts";
import { choicesOf } from "./choices.ts";
import { type KeyNames, useKeyNames } from "./key-names.ts";
import { KeySearch } from "./key-search.tsx";
import { type RequestFilters, VERDICTS } from "./request-filters.ts";

/** Ms after the last keystroke, before the list is loaded. */
const PAUSE_MS = 250;
const VERDICT_CHOICES = [
  { value: "", label: "All" },
  ...Object.entries(VERDICTS).map(([value, label]) => ({ value, label })),
];

export function FilterFields({ filters: { values, set } }: { filters: RequestFilters }) {
  const names = useKeyNames();
  return (
    <search className="filters request-filters" aria-label="Filters">
      <KeyField names={names} value={values.key} onChange={(key) => set({ key })} />
      <Choice
        label="Verdict"
        value={values.verdict}
        choices={VERDICT_CHOICES}
        onChange={(verdict) => set({ verdict })}
      />
      <Choice
        label="Reason"
        value={values.reason}
        choices={reasonChoices(values.reason)}
        onChange={(reason) => set({ reason })}
      />
      <PausedField label="Request id" placeholder="X-Request-Id" {...bound("request")} />
      <PausedField label="Token id" placeholder="tok_…" {...bound("token")} />
      <Field label="From" type="date" {...bound("from")} />
      <Field label="To, inclusive" type="date" {...bound("to")} />
    </search>
  );

  function bound(name: "request" | "token" | "from" | "to") {
    return { value: values[name], onChange: (text: string) => set({ [name]: text }) };
  }
}

interface KeyFieldProps {
  readonly names: KeyNames;
  readonly value: string;
  readonly onChange: (keyId: string) => void;
}

/** A choice by name; where a tenant has more keys than are loaded, a search. Not there before that is known. */
function KeyField({ names: { byId, isComplete }, value, onChange }: KeyFieldProps) {
  if (!isComplete) return byId.size === 0 ? null : <KeySearch value={value} onChange={onChange} />;
  const choices = [{ value: "", label: "All" }, ...choicesOf(byId)];
  if (value !== "" && !byId.has(value)) choices.push({ value, label: value });
  return <Choice label="Key" value={value} choices={choices} onChange={onChange} />;
}

function reasonChoices(value: string) {
  const choices = Object.entries(REASONS_IN_WORDS).map(([reason, label]) => ({ value: reason, label }));
  if (value !== "" && !Object.hasOwn(REASONS_IN_WORDS, value)) choices.push({ value, label: reasonInWords(value) });
  return [{ value: "", label: "All" }, ...choices.sort((a, b) => a.label.localeCompare(b.label))];
}

interface PausedFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Takes effect when the typing pauses. */
export function PausedField({ value, onChange, ...rest }: PausedFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause, not a render of the page
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <Field autoComplete="off" spellCheck={false} {...rest} value={typed} onChange={setTyped} />;
}
