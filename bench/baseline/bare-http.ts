import { BODY, HEADERS } from "./answer.ts";
import { serve } from "./serve.ts";

/** The floor: what Node itself costs when nothing is checked, read or parsed. */

serve((_req, res) => {
  res.writeHead(200, HEADERS);
  res.end(BODY);
});
