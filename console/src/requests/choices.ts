const SHOWN_CHARS = 12;

/** Ids by their names, in the order of names. Of those with the same name, each has the begin of its id, too. */
export function choicesOf(names: ReadonlyMap<string, string>): { readonly value: string; readonly label: string }[] {
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...names]
    .map(([value, name]) => ({
      value,
      label: counts.get(name) === 1 ? name : `${name} (${value.slice(0, SHOWN_CHARS)}…)`,
    }))
    .sort((a, b) => a.label.localeCompare(b.label));
}
