import type { ReactNode } from "react";
import { failureOf } from "../api/failure.ts";
import { Button } from "./button.tsx";

/** What a page shows instead of data. */

export function Loading({ what }: { what: string }) {
  return (
    <p className="state" role="status">
      Loading {what}…
    </p>
  );
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
  return (
    <div className="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Notice({ kind, children }: { kind: "good" | "warn" | "bad"; children: ReactNode }) {
  return (
    <div className={`notice notice-${kind}`} role="status">
      {children}
    </div>
  );
}
