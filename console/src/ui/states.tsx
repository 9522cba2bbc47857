import type { ReactNode } from "react";
import { failureOf } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Skeleton } from "./skeleton.tsx";

/** What a page shows instead of data. */

export function Loading({ what }: { what: string }) {
  return <Skeleton what={what} />;
}

/** An error in the service's own words. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, requestId } = failureOf(error);
  return (
    <div className="notice notice-bad" role="alert">
      <p>{message}</p>
      {requestId && <p className="quiet">Request {requestId}</p>}
      {retry && <Button onClick={() => retry()}>Try again</Button>}
    </div>
  );
}

/** Says how to begin. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return <EmptyState title={title}>{children}</EmptyState>;
}

export function Notice({ kind, children }: { kind: "good" | "warn" | "bad" | "info"; children: ReactNode }) {
  return (
    <div className={`notice notice-${kind}`} role="status">
      {children}
    </div>
  );
}
