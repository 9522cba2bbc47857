import errors from "../../../gen/errors.json" with { type: "json" };

// Addresses are relative to /docs/errors, so that a proxy may put the service under a prefix. All that they name is on each port.
export const ERRORS_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Errors - Latchkey API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="errors.css">
  </head>
  <body>
    <nav><a href="../">Latchkey</a></nav>
    <main>
${errors.html}    </main>
  </body>
</html>
`;

export const ERRORS_CSS = `:root {
  color-scheme: light dark;
  font: 1rem / 1.5 system-ui, sans-serif;
}
body {
  max-width: 56rem;
  margin: 0 auto;
  padding: 1.5rem;
  overflow-wrap: break-word;
}
pre,
table {
  display: block;
  overflow-x: auto;
}
pre {
  padding: 0.75rem 1rem;
  border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  border-radius: 0.375rem;
}
table {
  border-collapse: collapse;
}
th,
td {
  padding: 0.25rem 0.75rem 0.25rem 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  text-align: start;
  vertical-align: top;
}
h3:target {
  text-decoration: underline;
  text-underline-offset: 0.25em;
}
`;
