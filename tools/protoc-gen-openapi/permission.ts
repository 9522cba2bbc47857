import { createCatalogue } from "../../src/domain/access/catalogue.ts";
import { domainOf } from "../../src/domain/access/scopes.ts";
import type { JsonObject } from "./json.ts";

const { scopes } = createCatalogue();
const names = scopes.map(({ name }) => name);
const wildcards = ["*", ...new Set(names.map((name) => `${domainOf(name)}:*`))];

const LIST = scopes
  .map(({ name, description, publishable }) => {
    const note = publishable ? "" : " Not for publishable keys.";
    return `- \`${name}\`: ${description}${note}`;
  })
  .join("\n");

/**
 * What a caller may do. No `enum`, which generators make a closed one of: the platform adds scopes of its own, and a later
 * version more. `x-extensible-enum` is the usual name for the values that are known.
 */
export const PERMISSION_SCHEMA: JsonObject = {
  Permission: {
    type: "string",
    description: `A scope, or a wildcard: \`domain:*\` is every scope of its domain, \`*\` every scope. \`POST /api/v1/scopes/list\` returns the scopes of this service, the platform's own ones included. Built in are:\n\n${LIST}`,
    examples: ["conversations:read", "conversations:*"],
    "x-extensible-enum": [...names, ...wildcards],
  },
};
