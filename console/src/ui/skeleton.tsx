interface SkeletonProps {
  /** Names the data, for screen readers, such as `the keys`. */
  readonly what: string;
  readonly kind?: "lines" | "card" | "table";
  readonly rows?: number;
}

/** The shape of what is loaded, so that the page does not jump when it is there. */
export function Skeleton({ what, kind = "lines", rows = 3 }: SkeletonProps) {
  return (
    <div className={`skeleton skeleton-${kind}`} role="status">
      <span className="hidden">Loading {what}…</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike
        <div key={row} className="skeleton-row">
          <div className="skeleton-bar" />
        </div>
      ))}
    </div>
  );
}
