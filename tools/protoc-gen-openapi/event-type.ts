import { EVENT_TYPES } from "../../src/domain/webhooks/event-types.ts";
import type { JsonObject } from "./json.ts";

/** The types of events, without `enum`: a later version has more, and must not break a generated client. */
export const EVENT_TYPE_SCHEMA: JsonObject = {
  WebhookEventType: {
    type: "string",
    description: "The type of an event that webhooks are sent, or `*` for all. A later version may have more.",
    examples: ["api_key.revoked", "*"],
    "x-extensible-enum": [...EVENT_TYPES, "*"],
  },
};
