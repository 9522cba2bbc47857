import { useQuery } from "@connectrpc/connect-query";
import { useId } from "react";
import { type Scope, ScopeService } from "../../../clients/typescript/src/gen/latchkey/v1/scope_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Loading, Problem } from "../ui/states.tsx";

interface ScopePickerProps {
  readonly chosen: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
  /** Leaves out scopes that a publishable key cannot have. */
  readonly isPublishable: boolean;
}

/** Scopes by domain, each with what it allows. Offers what the user may do themselves: no other can be given. */
export function ScopePicker({ chosen, onChange, isPublishable }: ScopePickerProps) {
  const { may } = useCaller();
  const { data, error, refetch } = useQuery(ScopeService.method.listScopes, {});
  if (error !== null) return <Problem error={error} retry={refetch} />;
  if (data === undefined) return <Loading what="scopes" />;
  const offered = data.scopes.filter(({ name, publishable }) => (publishable || !isPublishable) && may(name));
  const known = new Set(data.scopes.map(({ name }) => name));
  // A key that exists may hold what the picker does not offer: it is shown, so that it is kept or taken away knowingly.
  const others = chosen.filter((scope) => !known.has(scope) && !scope.endsWith(":*"));
  const toggle = (scope: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, scope] : chosen.filter((other) => other !== scope));
  return (
    <fieldset>
      <legend>Scopes: what the key may do</legend>
      <div className="scope-list columns">
        {[...byDomain(offered)].map(([domain, scopes]) => (
          <Domain
            key={domain}
            domain={domain}
            scopes={scopes}
            chosen={chosen}
            hasWildcard={
              !isPublishable || scopes.length === data.scopes.filter(({ name }) => domainOf(name) === domain).length
            }
            toggle={toggle}
          />
        ))}
        {others.map((scope) => (
          <Check key={scope} label={scope} hint="" isOn onChange={(isOn) => toggle(scope, isOn)} />
        ))}
      </div>
    </fieldset>
  );
}

interface DomainProps {
  readonly domain: string;
  readonly scopes: readonly Scope[];
  readonly chosen: readonly string[];
  readonly hasWildcard: boolean;
  readonly toggle: (scope: string, isOn: boolean) => void;
}

function Domain({ domain, scopes, chosen, hasWildcard, toggle }: DomainProps) {
  const title = useId();
  const all = `${domain}:*`;
  const hasAll = chosen.includes(all) || chosen.includes("*");
  return (
    // biome-ignore lint/a11y/useSemanticElements: the fieldset is around all domains
    <div className="scope-group" role="group" aria-labelledby={title}>
      <h2 className="label" id={title}>
        {titleOf(domain)}
      </h2>
      {hasWildcard && (
        <Check
          label={all}
          hint="All of these, also those to come."
          isOn={hasAll}
          onChange={(isOn) => toggle(all, isOn)}
        />
      )}
      {scopes.map(({ name, description }) => (
        <Check
          key={name}
          label={name}
          hint={description}
          isOn={hasAll || chosen.includes(name)}
          disabled={hasAll}
          onChange={(isOn) => toggle(name, isOn)}
        />
      ))}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly disabled?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ label, hint, isOn, disabled = false, onChange }: CheckProps) {
  const id = useId();
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        disabled={disabled}
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

function byDomain(scopes: readonly Scope[]): Map<string, Scope[]> {
  return Map.groupBy(scopes, ({ name }) => domainOf(name));
}

function domainOf(scope: string): string {
  return scope.split(":")[0] ?? "";
}

function titleOf(domain: string): string {
  const words = domain.replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
