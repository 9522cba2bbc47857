import { useQuery } from "@connectrpc/connect-query";
import { useId, useState } from "react";
import { ScopeService } from "../../../clients/typescript/src/gen/latchkey/v1/scope_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Field } from "../ui/field.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Problem } from "../ui/states.tsx";
import { atLevel, type Level, levelOf, othersOf, type ScopeRow, scopeRows, titleOf, withLevel } from "./scope-rows.ts";

interface ScopePickerProps {
  /** The owner of the scopes: a key, or tokens that have no more than their key. Default: a key. */
  readonly of?: "key" | "tokens";
  readonly chosen: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
  /** Leaves out scopes that a publishable key cannot have. */
  readonly isPublishable: boolean;
  /** The scopes of the tenant's rules, or of the tokens' key. Empty: all. */
  readonly allowed: readonly string[];
}

const LEVELS: Readonly<Record<Level, string>> = {
  none: "No access",
  read: "Read",
  write: "Read and write",
  all: "All, also what is added later",
  single: "Single scopes…",
};

/** A row for each domain, with what the key may do in it. */
export function ScopePicker({ of = "key", chosen, onChange, isPublishable, allowed }: ScopePickerProps) {
  const { may } = useCaller();
  const [search, setSearch] = useState("");
  const { data, error, refetch } = useQuery(ScopeService.method.listScopes, {});
  if (data === undefined)
    return error === null ? <Skeleton what="scopes" rows={5} /> : <Problem error={error} retry={refetch} />;
  const rows = scopeRows(data.scopes, { isPublishable, may, allowed });
  const text = search.trim().toLowerCase();
  const shown = rows.filter(
    ({ domain, scopes }) =>
      titleOf(domain).toLowerCase().includes(text) ||
      scopes.some(({ name, description }) => `${name} ${description}`.toLowerCase().includes(text)),
  );
  const others = othersOf(rows, chosen);
  return (
    <div className="form">
      <div className="scope-tools">
        <Field label="Find a scope" type="search" value={search} onChange={setSearch} autoComplete="off" />
        {/* biome-ignore lint/a11y/useSemanticElements: buttons, not fields */}
        <div className="scope-presets" role="group" aria-label="Presets">
          <Preset label="Read only" onSelect={() => onChange(atLevel(rows, ["read"]))} />
          <Preset label="Read and write" onSelect={() => onChange(atLevel(rows, ["write", "read"]))} />
          <Preset label="Full access" onSelect={() => onChange(atLevel(rows, ["all", "write", "read"]))} />
          <Preset label="Clear" onSelect={() => onChange([])} />
        </div>
      </div>
      <ul className="scope-rows" aria-label="Scopes">
        {shown.map((row) => (
          <Row key={row.domain} row={row} chosen={chosen} onChange={onChange} />
        ))}
        {others.map((scope) => (
          <li className="scope-row" key={scope}>
            <Check
              label={scope}
              hint={of === "key" ? "This key has it." : "The rule has it."}
              isOn
              onChange={() => onChange(without(chosen, scope))}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="quiet">No scope matches.</p>}
      <p className="hint" role="status">
        {countSentence(chosen, of)}
        {allowed.length > 0 && LEFT_OUT[of]}
      </p>
    </div>
  );
}

function Preset({ label, onSelect }: { label: string; onSelect: () => void }) {
  return (
    <button type="button" className="toggle" onClick={onSelect}>
      {label}
    </button>
  );
}

const LEFT_OUT = {
  key: " Your organization's rules leave others out.",
  tokens: " Offered is what the key has.",
};

function countSentence(chosen: readonly string[], of: "key" | "tokens"): string {
  if (chosen.includes("*"))
    return of === "key" ? "The key may do everything." : "The tokens may do all that the key may.";
  if (chosen.length === 0) return `No scope is chosen: the ${of} could do nothing.`;
  return chosen.length === 1 ? "1 scope is chosen." : `${chosen.length} scopes are chosen.`;
}

interface RowProps {
  readonly row: ScopeRow;
  readonly chosen: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
}

function Row({ row, chosen, onChange }: RowProps) {
  const id = useId();
  // Of a row that was opened: its scopes may be those of another level.
  const [isOpen, setOpen] = useState(false);
  const found = levelOf(row, chosen);
  const level = isOpen && found !== "all" ? "single" : found;
  const choose = (next: Level): void => {
    setOpen(next === "single");
    onChange(withLevel(row, next, chosen));
  };
  const toggle = (scope: string, isOn: boolean): void => onChange(isOn ? [...chosen, scope] : without(chosen, scope));
  return (
    <li className="scope-row" data-chosen={level !== "none" || undefined}>
      <div className="scope-row-line">
        <label htmlFor={id} className="scope-row-title">
          <strong>{titleOf(row.domain)}</strong>
          <span className="hint">{row.scopes.map(({ description }) => description).join(" ")}</span>
        </label>
        <select
          id={id}
          value={level}
          onChange={({ currentTarget: { value } }) => {
            const next = row.levels.find((one) => one === value);
            if (next !== undefined) choose(next);
          }}
        >
          {row.levels.map((one) => (
            <option key={one} value={one}>
              {LEVELS[one]}
            </option>
          ))}
        </select>
      </div>
      {level === "single" && (
        <div className="scope-singles">
          {row.scopes.map(({ name, description }) => (
            <Check
              key={name}
              label={name}
              hint={description}
              isOn={chosen.includes(name)}
              onChange={(isOn) => toggle(name, isOn)}
            />
          ))}
        </div>
      )}
    </li>
  );
}

interface CheckProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ label, hint, isOn, onChange }: CheckProps) {
  const id = useId();
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id}>
        <code>{label}</code>
      </label>
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}

function without(chosen: readonly string[], scope: string): readonly string[] {
  return chosen.filter((other) => other !== scope);
}
