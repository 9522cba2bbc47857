/** One result of `latchkey doctor`. With a `problem`, the service does not work as configured. */
export interface Finding {
  readonly level: "ok" | "warning" | "problem";
  /** What was checked: `setup`, `configuration`, `postgresql`, `redis`, `identity provider`, `certificate`, `model`. */
  readonly subject: string;
  /** A sentence for the operator, without a secret. */
  readonly text: string;
}

export type Findings = AsyncGenerator<Finding>;

/** The message of what was thrown, on one line. */
export function reasonOf(err: unknown): string {
  return (err instanceof Error ? err.message : String(err)).replaceAll(/\s+/g, " ");
}
