/** A constant answer, for which nothing is read from a store, checked or serialised. */
export const BODY = Buffer.from(
  JSON.stringify({ caller: "CALLER_SECRET_KEY", tenant_id: "ten_bench", key_id: "key_bench" }),
);
export const HEADERS = { "Content-Type": "application/json", "Content-Length": BODY.length };
