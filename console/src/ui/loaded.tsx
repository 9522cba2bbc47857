import type { ReactNode } from "react";
import { failureOf } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Problem } from "./states.tsx";

/** The needed part of a query of `useQuery` or `useInfiniteQuery`. */
export interface QueryLike<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

interface LoadedProps<Data> {
  readonly query: QueryLike<Data>;
  /** Names the data, such as `the keys`. */
  readonly what: string;
  /** Instead of three lines. */
  readonly skeleton?: ReactNode;
  /** Instead of the problem, where there is no data. */
  readonly failed?: (error: Error) => ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Shows data once it is there, and as long as it is there: a refetch that fails adds a quiet line above it. Everything that a
 * person typed or opened in it stays, such as the dialog with a new key.
 */
export function Loaded<Data>({ query, what, skeleton, failed, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error !== null) return failed?.(error) ?? <Problem error={error} retry={refetch} />;
    return skeleton ?? <Skeleton what={what} />;
  }
  return (
    <>
      <Stale error={error} retry={refetch} />
      {children(data)}
    </>
  );
}

/** The quiet line of a failed refetch: what is shown may be of before. Nothing without an error. */
export function Stale({ error, retry }: { error: Error | null; retry: () => unknown }) {
  return (
    <div role="status" className="stale-place">
      {error !== null && (
        <p className="stale">
          This may be out of date. {failureOf(error).message}
          <Button look="quiet" onClick={() => void retry()}>
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}
