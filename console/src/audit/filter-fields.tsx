import { choicesOf } from "../requests/choices.ts";
import { PausedField } from "../requests/filter-fields.tsx";
import { Choice, Field } from "../ui/field.tsx";
import { ACTIONS } from "./actions.ts";
import type { EventFilters } from "./event-filters.ts";
import { useEventReader } from "./event-reader.tsx";

const CHOICES = [
  { value: "", label: "All" },
  ...Object.entries(ACTIONS)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label)),
];

export function FilterFields({ filters: { values, set } }: { filters: EventFilters }) {
  return (
    <search className="filters" aria-label="Filters">
      <Choice label="Action" value={values.action} choices={CHOICES} onChange={(action) => set({ action })} />
      <ActorChoice value={values.actor} onChange={(actor) => set({ actor })} />
      <PausedField label="Target" placeholder="Id" value={values.target} onChange={(target) => set({ target })} />
      <PausedField label="Request" placeholder="Id" value={values.request} onChange={(request) => set({ request })} />
      <Field label="From" type="date" value={values.from} onChange={(from) => set({ from })} />
      <Field label="To, inclusive" type="date" value={values.to} onChange={(to) => set({ to })} />
    </search>
  );
}

/** People by their addresses and keys by their names; an id where none is known. */
function ActorChoice({ value, onChange }: { value: string; onChange: (actor: string) => void }) {
  const { people, keys } = useEventReader();
  if (people.size + keys.size === 0)
    return <PausedField label="Actor" placeholder="Id, or operator" value={value} onChange={onChange} />;
  const known = [...labelled(people, ""), { value: "operator", label: "The operator" }, ...labelled(keys, "Key: ")];
  const choices = [{ value: "", label: "All" }, ...known];
  if (!choices.some((choice) => choice.value === value)) choices.push({ value, label: value });
  return <Choice label="Actor" value={value} choices={choices} onChange={onChange} />;
}

function labelled(names: ReadonlyMap<string, string>, before: string) {
  return choicesOf(names).map(({ value, label }) => ({ value, label: before + label }));
}
