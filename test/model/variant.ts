/** One run of Spin: the model with `flags`, and what it must find. */
export interface Variant {
  readonly name: string;
  readonly flags: readonly string[];
  readonly property: "A" | "B" | "H";
  readonly expected: "holds" | "fails";
  /** How it differs from what ADR 22 says, and why that matters. */
  readonly about: string;
  /** Not exhaustive: states are remembered as bits, and the search ends after a minute. */
  readonly isBitstate?: boolean;
  /** Default: leases.pml. */
  readonly model?: "leases.pml" | "tree.pml" | "history.pml";
}

export const holds = (property: Variant["property"], name: string, flags: string, about: string): Variant => ({
  name,
  flags: flags.split(" ").filter((flag) => flag !== ""),
  property,
  expected: "holds",
  about,
});
export const fails = (...variant: Parameters<typeof holds>): Variant => ({ ...holds(...variant), expected: "fails" });
export const inPart = (...variant: Parameters<typeof holds>): Variant => ({ ...holds(...variant), isBitstate: true });
