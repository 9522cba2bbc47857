import { useEffect, useState } from "react";
import { Choice, Field } from "../ui/field.tsx";
import { ACTIONS } from "./actions.ts";
import type { EventFilters } from "./event-filters.ts";

/** Ms after the last keystroke, before the list is loaded. */
const PAUSE_MS = 250;
const CHOICES = [
  { value: "", label: "All" },
  ...Object.entries(ACTIONS)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label)),
];

export function FilterFields({ filters: { values, set } }: { filters: EventFilters }) {
  return (
    <search className="filters">
      <Choice label="Action" value={values.action} choices={CHOICES} onChange={(action) => set({ action })} />
      <IdField label="Actor" placeholder="Id, or operator" value={values.actor} onChange={(actor) => set({ actor })} />
      <IdField label="Target" placeholder="Id" value={values.target} onChange={(target) => set({ target })} />
      <IdField label="Request" placeholder="Id" value={values.request} onChange={(request) => set({ request })} />
      <Field label="From" type="date" value={values.from} onChange={(from) => set({ from })} />
      <Field label="To, inclusive" type="date" value={values.to} onChange={(to) => set({ to })} />
    </search>
  );
}

interface IdFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Takes effect when the typing pauses. */
function IdField({ value, onChange, ...rest }: IdFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed is waited for
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <Field {...rest} type="search" spellCheck={false} value={typed} onChange={setTyped} />;
}
