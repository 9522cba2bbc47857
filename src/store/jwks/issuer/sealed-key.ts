import { createSealing } from "../../sealing/sealing.ts";

/** Private keys as they are stored, sealed under `TOKEN_SECRET` for their `kid`: no row can have the private key of another. */
export const { seal, open } = createSealing("latchkey signing key");
