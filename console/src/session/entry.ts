import { loadSettings, type Settings } from "../settings.ts";
import { type Arrival, arrive, isPassingThrough } from "./sign-in.ts";
import { finishWindow } from "./sign-in-window.ts";

export { isPassingThrough };

/** What a visit of the page begins with. */
export type Entry =
  /** On the way to the provider: nothing is to be shown. */
  | { readonly kind: "leaving" }
  /** A window that has signed in for another page. */
  | { readonly kind: "window" }
  | { readonly kind: "failed"; readonly problem: string }
  | {
      readonly kind: "arrived";
      readonly settings: Settings;
      readonly arrival: Exclude<Arrival, { readonly kind: "leaving" }>;
    };

/** Once for a visit: the code of a sign-in is good for one exchange. */
export async function enter(): Promise<Entry> {
  if (finishWindow()) return { kind: "window" };
  try {
    const settings = await loadSettings();
    if ("problem" in settings) return { kind: "failed", problem: settings.problem };
    const arrival = await arrive(settings);
    return arrival.kind === "leaving" ? arrival : { kind: "arrived", settings, arrival };
  } catch (err) {
    return { kind: "failed", problem: err instanceof Error ? err.message : String(err) };
  }
}
