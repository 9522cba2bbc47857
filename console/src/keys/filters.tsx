import { useQuery } from "@connectrpc/connect-query";
import { useEffect, useState } from "react";
import { ScopeService } from "../../../clients/typescript/src/gen/latchkey/v1/scope_service_pb.ts";
import { Choice, Field } from "../ui/field.tsx";
import { ANY_FORMAT, type FilterState, SHOWN } from "./key-filters.ts";
import { withoutSecret } from "./key-text.ts";

/** Ms after the last keystroke, before the search is made. */
const PAUSE_MS = 250;

export function Filters({ filters }: { filters: FilterState }) {
  const { values, set } = filters;
  const { data } = useQuery(ScopeService.method.listScopes, {});
  const scopes = data?.scopes.map(({ name }) => name) ?? [];
  return (
    <search className="key-filters">
      <div className="key-filter-fields">
        <Search value={values.search} onChange={(search) => set({ search })} />
        <Choice
          label="Status"
          value={values.status}
          choices={named({ "": "All", active: "Active", disabled: "Disabled", expired: "Expired", revoked: "Revoked" })}
          onChange={(status) => set({ status })}
        />
        <Choice
          label="Type"
          value={values.type}
          choices={named({ "": "All", secret: "Secret", publishable: "Publishable" })}
          onChange={(type) => set({ type })}
        />
        <Choice
          label="Scope"
          value={values.scope}
          choices={[{ value: "", label: "All" }, ...scopes.map((scope) => ({ value: scope, label: scope }))]}
          onChange={(scope) => set({ scope })}
        />
        <Choice
          label="Origin"
          value={values.imported}
          choices={named({ "": "All", [ANY_FORMAT]: "Imported", ...formatChoice(values.imported) })}
          onChange={(imported) => set({ imported, since: "" })}
        />
        <Choice
          label="Order"
          value={values.sort}
          choices={named({ "": "Newest first", last_used_at: "Last used first" })}
          onChange={(sort) => set({ sort })}
        />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that are pressed, without a legend to show */}
      <div className="toggles" role="group" aria-label="Keys that need attention">
        {named(SHOWN).map(({ value, label }) => (
          <button
            key={value}
            type="button"
            className="toggle"
            aria-pressed={values.show === value}
            onClick={() => set({ show: values.show === value ? "" : value })}
          >
            {label}
          </button>
        ))}
      </div>
    </search>
  );
}

/** The format that a key's badge has chosen: only the operator can list formats. */
function formatChoice(imported: string): Readonly<Record<string, string>> {
  return imported === "" || imported === ANY_FORMAT ? {} : { [imported]: `Imported: ${imported}` };
}

function named(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** Searches when the typing pauses: each keystroke would be a call. Of a pasted key it keeps only the prefix. */
function Search({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause, not a render of the page
  useEffect(() => {
    const text = typed.trim();
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <Field
      label="Search"
      type="search"
      value={typed}
      onChange={(text) => setTyped(withoutSecret(text))}
      placeholder="Name, id, metadata, or a pasted key"
      maxLength={128}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
