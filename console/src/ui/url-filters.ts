import { useSearchParams } from "wouter";

const PAGE = "page";

/** A list's filters in the address of its page, so that a reload and a link keep them. */
export interface UrlFilters<Name extends string> {
  /** Empty where a filter is not set. */
  readonly values: Readonly<Record<Name, string>>;
  readonly isSet: boolean;
  /** The token of the list's page; empty for the newest entries. */
  readonly pageToken: string;
  /** Changes some filters, and goes to the newest entries. */
  set(changes: Partial<Readonly<Record<Name, string>>>): void;
  clear(): void;
  goTo(pageToken: string): void;
}

/** The filters of these names. A filter in `choices` has only the values that are members there; others count as not set. */
export function useUrlFilters<Name extends string>(
  names: readonly Name[],
  choices: Partial<Readonly<Record<Name, object>>>,
): UrlFilters<Name> {
  const [parameters, setParameters] = useSearchParams();
  const entries = names.map((name) => {
    const value = parameters.get(name) ?? "";
    const chosen: object | undefined = choices[name];
    return [name, chosen === undefined || Object.hasOwn(chosen, value) ? value : ""] as const;
  });
  const change = (changes: Readonly<Partial<Record<string, string>>>, options: { readonly replace: boolean }): void =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      after.delete(PAGE);
      for (const [name, text] of Object.entries(changes)) {
        if (!text) after.delete(name);
        else after.set(name, text);
      }
      return after;
    }, options);
  return {
    values: Object.fromEntries(entries) as Record<Name, string>,
    isSet: entries.some(([, value]) => value !== ""),
    pageToken: parameters.get(PAGE) ?? "",
    set: (changes) => change(changes, { replace: true }),
    clear: () => change(Object.fromEntries(names.map((name) => [name, ""])), { replace: true }),
    // A step back in the history is a page back.
    goTo: (token) => change({ [PAGE]: token }, { replace: false }),
  };
}
