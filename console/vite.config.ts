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
    // The packages in the bundle, for the release's licenses and bill of materials.
    license: { fileName: ".vite/licenses.json" },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The way in, which a reload passes through: without the libraries that it does not need.
            {
              name: "sign-in",
              test: /console\/src\/session\/(?!session-over|entrance)|console\/src\/settings|oauth4webapi|vite\/preload-helper|rolldown\/runtime/,
              priority: 5,
            },
            // The modules of the first page, in one file that changes only with the dependencies. Not what signs in, which is
            // loaded before, nor what only other pages use: lists that grow, changes, and clients outside of React.
            {
              name: "libraries",
              test: /node_modules\/(?:react|react-dom|scheduler|@bufbuild|@connectrpc|@tanstack|wouter)\/(?!.*(?:infinite-query|InfiniteQuery|infiniteQueryObserver|[mM]utationObserver|use-?[mM]utation|any-client|promise-client|async-iterable))/,
              priority: 4,
            },
            // The modules of the frame and the overview, which is the first page. One file: small ones compress less.
            {
              name: "shared",
              test: /console\/src\/(?:api\/(?!creation)|app\.|frame|sidebar|members\/invitation-link|orgs\/(?:account|memberships|org-switcher)|session\/entrance|usage\/(?:change|period|reasons|refresh|uses)|ui\/(?:badge|button|card|dialog\.|icons|loaded|mark|menu-popup|navigation-guards|not-here|now|page-header|skeleton|states|time|toast|use-(?:focus|timeout|title)))|clients\/typescript\/src\/gen\/latchkey\/v1\/(?:api_key|audit_pb|org|pagination|usage)/,
              priority: 3,
            },
            // Forms, lists and changes of the other pages. Few files: the frame names each that a page needs.
            {
              name: "parts",
              test: /console\/src\/(?:api\/creation|ui\/(?!dialog-popup)|keys\/(?:\w+-draft|at-most|scope-)|requests\/(?:choices|filter-fields|key-names|request-filters|token-pages))|scope_service_pb|node_modules\/.*(?:[mM]utationObserver|use-?[mM]utation)/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
