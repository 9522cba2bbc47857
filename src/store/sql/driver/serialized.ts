/** Runs work of one name one after the other, in the order of the calls. Work of other names does not wait for it. */
export type Serialize = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * For work that waits for a lock in the database: one connection waits for it instead of all, which other work needs. The lock
 * itself is still needed, for other processes.
 */
export function createSerialize(): Serialize {
  const last = new Map<string, Promise<void>>();
  return (name, work) => {
    const result = (last.get(name) ?? Promise.resolve()).then(work);
    const ended = result.then(
      () => {},
      () => {},
    );
    last.set(name, ended);
    void ended.then(() => {
      if (last.get(name) === ended) last.delete(name);
    });
    return result;
  };
}
