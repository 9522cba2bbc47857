import { runDevServer } from "./server.ts";

/** `npm run dev`, in a checkout. */
await runDevServer("npm run -s dev:token --");
