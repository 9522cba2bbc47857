import "./styles/base.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/parts.css";
import { enter, isPassingThrough } from "./session/entry.ts";

/**
 * The way in is small: a visit that only passes through to the identity provider, as each reload does, does not load the page.
 * Any other visit loads it while the way in is still at work.
 */
const load = () => import("./page.tsx");
if (!isPassingThrough()) load().catch(() => undefined);
const entry = await enter();
if (entry.kind !== "leaving") (await load()).show(entry);
