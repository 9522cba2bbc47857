import { serve } from "./serve.ts";

/** The floor: what Node itself costs when nothing is judged, read or parsed. */

const BODY = Buffer.from(JSON.stringify({ caller: "CALLER_SECRET_KEY", tenant_id: "ten_bench", key_id: "key_bench" }));
const HEADERS = { "Content-Type": "application/json", "Content-Length": BODY.length };

serve((_req, res) => {
  res.writeHead(200, HEADERS);
  res.end(BODY);
});
