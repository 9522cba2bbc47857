import { createTokenCommand } from "./token-command.ts";

/** `npm run -s dev:token`, in a checkout. */
await createTokenCommand("npm run -s dev:token --").parseAsync();
