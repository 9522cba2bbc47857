import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Entrance } from "./session/entrance.tsx";
import type { Entry } from "./session/entry.ts";

/** Shows what a visit begins with. */
export function show(entry: Entry): void {
  const place = document.getElementById("console");
  if (place === null) throw new Error("The page has no place for the console.");
  createRoot(place).render(
    <StrictMode>
      <Entrance entry={entry} />
    </StrictMode>,
  );
}
