import { build } from "rolldown";

/**
 * `npm run build`: what `npm start` runs, and what brings the schema up to date by itself, in `dist`, which is all of ours
 * that the image has. To find and load eight hundred modules one by one takes as long as all the rest of a start.
 *
 * The source maps are for those who want them in stack traces: Node reads them with `--enable-source-maps`, which makes a
 * start longer by a third.
 *
 * Nothing is taken out that looks unused: a call is, to the bundler, if only what it throws is used, as that of
 * decodeURIComponent in a `try`, and with it goes a check that ours and others' code rests on.
 */
await build({
  input: { main: "src/main.ts", migrate: "src/migrate.ts", initdb: "src/store/sql/initdb.ts" },
  platform: "node",
  treeshake: false,
  // They load files of their own, or no start needs them; pg's native driver is not installed.
  external: [/^@electric-sql\/pglite/, /^undici/, /^openai/, "pg-native"],
  output: { dir: "dist", format: "esm", sourcemap: true, minify: false, cleanDir: true },
});
