import { useTitle } from "./use-title.ts";

/** The page of every path that has none for its visitor: which of the two it is, it does not say. */
export function NotHere() {
  useTitle("Nothing here");
  return (
    <div className="state">
      <h1>Nothing here</h1>
      <p>This page does not exist, or your role does not include it.</p>
    </div>
  );
}
