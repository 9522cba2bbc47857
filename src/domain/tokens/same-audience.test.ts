import { expect, test } from "vitest";
import { isSameAudience } from "./same-audience.ts";

test.each([
  ["https://mcp.example.com", "https://mcp.example.com/"],
  ["http://127.0.0.1:9000", "http://127.0.0.1:9000/"],
  ["HTTPS://mcp.example.com", "HTTPS://mcp.example.com/"],
  ["app", "app"],
])("%j and %j are one resource", (one, other) => {
  expect([isSameAudience(one, other), isSameAudience(other, one)]).toEqual([true, true]);
});

test.each([
  ["https://mcp.example.com/mcp", "https://mcp.example.com/mcp/"],
  ["https://mcp.example.com", "https://mcp.example.com//"],
  ["https://mcp.example.com/", "https://mcp.example.com?"],
  ["https://mcp.example.com", "http://mcp.example.com"],
  ["app", "app/"],
  ["urn:app", "urn:app/"],
  ["https://", "https:///"],
])("%j and %j are two", (one, other) => {
  expect([isSameAudience(one, other), isSameAudience(other, one)]).toEqual([false, false]);
});
