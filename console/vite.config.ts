import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds static files that the service serves at /console; `scripts/build-console.mjs` names the folder. */
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  // For versions of React before 18, which had no such function.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim(?:\/index\.js)?$/, replacement: "react" }] },
  // The file below `assets`, as all others: the page's policy allows nothing that is inlined.
  publicDir: false,
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The way in, which a reload passes through: without the libraries that it does not need.
            {
              name: "sign-in",
              test: /console\/src\/session\/(?!session-over|entrance)|console\/src\/settings|oauth4webapi|vite\/preload-helper|rolldown\/runtime/,
              priority: 1,
            },
            // What each page needs, in one file that changes with the dependencies alone. Not what signs in, which is loaded before.
            {
              name: "libraries",
              test: /node_modules\/(?:react|react-dom|scheduler|@bufbuild|@connectrpc|@tanstack|wouter)\//,
            },
            {
              name: "shared",
              test: /console\/src\/(?:ui|api)\/(?!dialog-popup)|node_modules\/lucide-react\/dist\/esm\/(?!icons)/,
            },
          ],
        },
      },
    },
  },
});
