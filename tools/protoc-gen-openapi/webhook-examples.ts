const WEBHOOK_ID = "whk_0d6a3c5b9e7f41288a1b2c3d4e5f6071";
const EVENT_ID = "aud_5b0c2e8d41f74a6f9d3e7c1a80b264f5";
const CREATED_AT = "2026-01-31T12:00:00.123Z";
const URL = "https://hooks.example.com/latchkey";
const SECRET = "whsec_<the secret, returned once>";
const NAMED = { webhook_id: WEBHOOK_ID };

const WEBHOOK = {
  webhook_id: WEBHOOK_ID,
  url: URL,
  events: ["api_key.expiring", "api_key.revoked"],
  description: "On-call bot",
  status: "WEBHOOK_STATUS_ENABLED",
  disabled_reason: "",
  created_at: CREATED_AT,
  created_by: {
    kind: "dashboard_user",
    user_id: "user_42",
    issuer: "https://login.example.com",
    key_id: "",
    operator_token: 0,
  },
};

const DELIVERY = {
  delivery_id: "whd_7c1e9a0b3d5f42869b8a7c6d5e4f3021",
  webhook_id: WEBHOOK_ID,
  event_id: EVENT_ID,
  type: "api_key.revoked",
  status: "WEBHOOK_DELIVERY_STATUS_PENDING",
  attempts: 2,
  created_at: CREATED_AT,
  next_attempt_at: "2026-01-31T12:05:05.500Z",
  last_attempt_at: "2026-01-31T12:00:05.400Z",
  last_status: 503,
  last_duration_ms: 87,
  last_error: "",
  last_answer: "Service Unavailable",
};

const TEST = {
  event_id: "evt_1a2b3c4d5e6f47089a0b1c2d3e4f5061",
  delivered: true,
  status: 204,
  duration_ms: 43,
  error: "",
  answer: "",
  body: `{"type":"webhook.test","timestamp":"${CREATED_AT}","data":{"webhook_id":"${WEBHOOK_ID}"}}`,
};

/** Examples of the messages of WebhookService. */
export const WEBHOOK_EXAMPLES = {
  CreateWebhookRequest: { url: URL, events: WEBHOOK.events, description: WEBHOOK.description },
  CreateWebhookResponse: { result: WEBHOOK, secret: SECRET },
  ListWebhooksRequest: {},
  ListWebhooksResponse: { webhooks: [WEBHOOK], next_page_token: "" },
  GetWebhookRequest: NAMED,
  GetWebhookResponse: { result: WEBHOOK },
  UpdateWebhookRequest: { ...NAMED, events: ["*"], status: "WEBHOOK_STATUS_ENABLED", update_mask: "events,status" },
  UpdateWebhookResponse: { result: { ...WEBHOOK, events: ["*"] } },
  DeleteWebhookRequest: NAMED,
  DeleteWebhookResponse: {},
  RotateWebhookSecretRequest: NAMED,
  RotateWebhookSecretResponse: {
    result: { ...WEBHOOK, previous_secret_until: "2026-02-01T12:00:00.123Z" },
    secret: SECRET,
  },
  TestWebhookRequest: NAMED,
  TestWebhookResponse: { result: TEST },
  ListWebhookDeliveriesRequest: { ...NAMED, status: "WEBHOOK_DELIVERY_STATUS_PENDING" },
  ListWebhookDeliveriesResponse: { deliveries: [DELIVERY], next_page_token: "" },
  RedeliverWebhookEventsRequest: { ...NAMED, since: CREATED_AT, only_failed: true },
  RedeliverWebhookEventsResponse: { redelivered: 12, next_page_token: "" },
};
