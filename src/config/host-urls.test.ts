import { expect, test } from "vitest";
import { hostUrls, withHostsOf } from "./host-urls.ts";

test.each([
  ["postgres://u:p@a/x", ["postgres://u:p@a/x"]],
  [
    "postgres://u:p@a:1,b:2/x?sslmode=require",
    ["postgres://u:p@a:1/x?sslmode=require", "postgres://u:p@b:2/x?sslmode=require"],
  ],
  ["postgres://u,v:p%2C@a,[::1]:2/x", ["postgres://u,v:p%2C@a/x", "postgres://u,v:p%2C@[::1]:2/x"]],
  ["postgresql://a,b/x?target_session_attrs=read-write", ["postgresql://a/x", "postgresql://b/x"]],
  ["postgres://a/x?target_session_attrs=primary&ssl=1", ["postgres://a/x?ssl=1"]],
  ["postgres://a/x?ssl=1&target_session_attrs=primary", ["postgres://a/x?ssl=1"]],
])("%s is one URL for each host, with its own name and all the rest", (url, urls) => {
  expect(hostUrls(url)).toEqual(urls);
});

test("a URL gets the hosts of a list, and keeps its own credentials", () => {
  expect(withHostsOf("postgres://u:secret@a:1/x", "postgres://u@a:1,b:2/x")).toBe("postgres://u:secret@a:1,b:2/x");
});
