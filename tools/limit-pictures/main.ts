import { mkdirSync, writeFileSync } from "node:fs";
import { FOLDER, pictures } from "./pictures.ts";

/** Draws docs/guides/pictures from the limiter itself. Part of `npm run generate`. */
mkdirSync(FOLDER, { recursive: true });
for (const [name, svg] of pictures()) writeFileSync(new URL(name, FOLDER), svg);
