import type { Page } from "playwright-core";

/** A dialog with a secret, as a person comes to it and leaves it. */
export interface ShownSecret {
  /** From any page, for an organization that has a key and a webhook. */
  open(page: Page, at: { readonly url: string; readonly keyId: string; readonly webhookId: string }): Promise<void>;
  /** Name of the button that makes it, which `open` has pressed. */
  readonly make: string;
  readonly question: string;
  readonly stay: string;
}

const byName = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const WEBHOOK = { question: "Leave without the secret?", stay: "Stay" };
const KEY = { question: "Leave without the key?", stay: "Stay" };

/** By the call whose answer has the secret. */
export const SHOWN_SECRETS: Readonly<Record<string, ShownSecret>> = {
  CreateApiKey: {
    make: "Create key",
    ...KEY,
    async open(page, { url }) {
      await page.goto(`${url}/keys/new`);
      await page.getByLabel("Name", { exact: true }).fill("shown once");
      await page.getByLabel(/^Plans/).selectOption("Read");
      await byName(page, "Create key").click();
    },
  },
  RotateApiKey: {
    make: "Rotate key",
    ...KEY,
    async open(page, { url, keyId }) {
      await page.goto(`${url}/keys/${keyId}`);
      await byName(page, "Rotate").click();
      await byName(page, "Rotate key").click();
    },
  },
  CreateInvitation: {
    make: "Create invitation",
    question: "Close without the link?",
    stay: "Go back to the link",
    async open(page, { url }) {
      await page.goto(`${url}/members`);
      await byName(page, "Invite a member").click();
      await page.getByLabel("Email address").fill(`someone-${Date.now()}@example.com`);
      await byName(page, "Create invitation").click();
    },
  },
  CreateWebhook: {
    make: "Add endpoint",
    ...WEBHOOK,
    async open(page, { url }) {
      await page.goto(`${url}/webhooks`);
      await byName(page, "Add an endpoint").click();
      await page.getByLabel("URL").fill("https://hooks.example.com/new");
      await byName(page, "Add endpoint").click();
    },
  },
  RotateWebhookSecret: {
    make: "Make a new secret",
    ...WEBHOOK,
    async open(page, { url, webhookId }) {
      await page.goto(`${url}/webhooks/${webhookId}`);
      await byName(page, "Rotate secret").click();
      await byName(page, "Make a new secret").click();
    },
  },
};
