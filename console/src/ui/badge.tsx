import type { ReactNode } from "react";

/** What a colour says: `good` works, `warn` needs a look, `bad` is over or broken, `info` is new, `quiet` is nothing of these. */
export type Tone = "good" | "warn" | "bad" | "info" | "quiet";

/** A state in one or two words, such as `Active`. The words say it; the colour repeats it. */
export function Badge({ tone = "quiet", title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}
