import { useQueryClient } from "@tanstack/react-query";

/**
 * Returns what to call after a change of a key: all that is shown is loaded again, since lists, explanations and events of
 * the audit trail contain it, too.
 */
export function useKeysChanged(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries();
}
