/** The pages of webhooks, in one file: the frame, which is loaded first, names it once. */
export { WebhookPage } from "./webhook-page.tsx";
export { WebhooksPage } from "./webhooks-page.tsx";
