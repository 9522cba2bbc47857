import type { ReactNode } from "react";
import { failureOf } from "../api/failure.ts";
import { Button } from "./button.tsx";
import { Skeleton } from "./skeleton.tsx";

/** What a page shows instead of data. */

export function Loading({ what }: { what: string }) {
  return <Skeleton what={what} />;
}

/** Why something failed, with what helps those who are asked about it. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, reason, requestId } = failureOf(error);
  const details = [reason && `Reason ${reason}`, requestId && `Request ${requestId}`].filter(Boolean);
  return (
    <div className="notice notice-bad" role="alert">
      <p>{message}</p>
      {details.length > 0 && <p className="quiet small">{details.join(" · ")}</p>}
      {retry && <Button onClick={() => retry()}>Try again</Button>}
    </div>
  );
}

export function Notice({ kind, children }: { kind: "good" | "warn" | "bad" | "info"; children: ReactNode }) {
  return (
    <div className={`notice notice-${kind}`} role="status">
      {children}
    </div>
  );
}
