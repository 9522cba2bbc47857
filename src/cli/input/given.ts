/** The members that have a value. A filter that was not given is left out: the service refuses an empty one. */
export function given<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  // The entries are those of `members`, without the ones that the type leaves out.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
}
