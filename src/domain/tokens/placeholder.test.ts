import { expect, test } from "vitest";
import { isPlaceholder, isQuoted } from "./placeholder.ts";

test.each([
  ...["undefined", "NULL", "none", "nil", "NaN", "false", "[object Object]", "[object Promise]"],
  ...[
    "<API_KEY>",
    "<>",
    "$API_KEY",
    "\u0024{API_KEY}",
    "{{ api_key }}",
    "%API_KEY%",
    "your-api-key",
    "YOUR_KEY",
    "your key",
  ],
])("%j is a placeholder", (value) => expect(isPlaceholder(value)).toBe(true));

test.each([
  ...["", "undefinedx", "xnull", "[object]", "[object x y]", "x[object Object]", "[object Object]x"],
  ...[
    "x<API_KEY>",
    "<API_KEY>x",
    "$",
    "x$KEY",
    "$KEY x",
    "\u0024{KEY}x",
    "x\u0024{KEY}",
    "{{key}",
    "{{key}}x",
    "x{{key}}",
  ],
  ...["%KEY", "%%", "x%KEY%", "%KEY%x", "yours", "xyour-key", "sk_abc", "a.b.c"],
])("%j is not a placeholder", (value) => expect(isPlaceholder(value)).toBe(false));

test.each(['"key"', "'key", "key`", '"'])("%j is quoted", (value) => expect(isQuoted(value)).toBe(true));

test.each(["", "key", `k"ey`, "k'ey"])("%j is not quoted", (value) => expect(isQuoted(value)).toBe(false));
