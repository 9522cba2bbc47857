import { failureOf } from "../api/failure.ts";

/** Below what stays on the page when it could not be loaded again. */
export function RefetchNote({ error }: { error: unknown }) {
  return (
    <p className="hint refetch-note" role="status">
      {error !== null && `Not up to date: ${failureOf(error).message}`}
    </p>
  );
}
