import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds static files that the service serves at /console; `scripts/build-console.mjs` names the folder. */
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  // The file below `assets`, as all others: the page's policy allows nothing that is inlined.
  publicDir: false,
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
});
