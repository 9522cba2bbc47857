import { afterAll, beforeAll, expect, test } from "vitest";
import { AssistantFailure } from "../../src/domain/conversations/assistant-failure.ts";
import { echoAssistant } from "../../src/store/assistant/echo.ts";
import { type ConsoleBench, goTo, startConsole, type Visit } from "../harness/console.ts";
import { gatewayCaller } from "../harness/gateway.ts";

/** What would run a script, if a page took it for HTML. */
const HOSTILE = [`<img src=x onerror="window.wasRun=true">`, "<script>window.wasRun=true</script>"];

let bench: ConsoleBench;

beforeAll(async () => {
  // The built-in assistant, but for messages that ask for a failure.
  bench = await startConsole({
    roles: { accountant: ["org:read"] },
    assistant: {
      ...echoAssistant,
      async reply(history, ...rest) {
        if (history.at(-1)?.parts.includes("fail")) throw new AssistantFailure("refused", "as asked");
        return echoAssistant.reply(history, ...rest);
      },
    },
  });
});

afterAll(() => bench.close());

/** The gateway as a key of the user's tenant sees it. */
async function gatewayOf(sub: string) {
  const { result } = await bench.call(sub, "api-keys/create", {
    name: "backend",
    permissions: ["conversations:*", "users:impersonate"],
  });
  return {
    as: (user: string) => gatewayCaller(bench.latchkey, { "x-api-key": result.key, "x-on-behalf-of": user }),
    bare: gatewayCaller(bench.latchkey, { "x-api-key": result.key }),
  };
}

async function visitConversations(sub: string, options: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, options);
  await goTo(visit.page, "Conversations");
  await visit.page.getByRole("heading", { name: "Conversations", level: 1 }).waitFor();
  return visit;
}

test("without conversations the page shows a request that begins one, and the request works", async () => {
  await bench.found("beginner", "Beginnings");
  const { page, close, picture, findings } = await visitConversations("beginner");
  const example = (await page.locator("pre").textContent()) ?? "";
  expect(await findings()).toEqual([]);
  await picture("conversations-empty");
  expect(example).toContain(`curl ${new URL(bench.url).origin}/api/v1/llm/gateway/send-message`);
  const body = JSON.parse(/-d '(.*)'$/s.exec(example)?.[1] ?? "");
  const { bare } = await gatewayOf("beginner");
  expect((await bare.send(body.conversation_key, body.user_message)).status).toBe(200);
  await page.reload();
  await page.getByRole("link", { name: "first", exact: true }).click();
  await page.getByText("You said: Hello!").waitFor();
  await close();
});

test("a conversation of one user is not another's of the same name, and a reload keeps it", async () => {
  await bench.found("reader", "Readers");
  const { as } = await gatewayOf("reader");
  for (const user of ["ann", "ben"]) {
    await as(user).send("support", `I am ${user}`);
    await as(user).texts("support");
  }
  const { page, close, picture, findings } = await visitConversations("reader");
  await picture("conversations");
  expect(await findings()).toEqual([]);
  await page.getByRole("row", { name: "ann" }).getByRole("link").click();
  await page.getByText("You said: I am ann").waitFor();
  await expect
    .poll(() => page.getByRole("listitem").allTextContents())
    .toEqual([expect.stringMatching(/^User.*I am ann$/), expect.stringMatching(/^Assistant.*You said: I am ann$/)]);
  await expect.poll(() => page.getByText("Of the user ann").count()).toBe(1);
  await page.reload();
  await page.getByText("You said: I am ann").waitFor();
  await page.getByRole("link", { name: "All conversations" }).click();
  await page.getByRole("row", { name: "ben" }).getByRole("link").click();
  await page.getByText("You said: I am ben").waitFor();
  await expect.poll(() => page.getByText("I am ann").count()).toBe(0);
  await close();
});

test("an open conversation shows messages that come later, without a reload", async () => {
  await bench.found("watcher", "Watchers");
  const { bare } = await gatewayOf("watcher");
  await bare.send("open", "first");
  await bare.texts("open");
  const { page, close } = await visitConversations("watcher");
  await page.clock.install();
  await page.getByRole("link", { name: "open", exact: true }).click();
  await page.getByText("You said: first").waitFor();
  await bare.send("open", "second");
  await bare.texts("open");
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(11_000);
        return page.getByText("You said: second").count();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(1);
  await close();
});

test("earlier messages are shown in order on request, and the focus moves to them at the end", async () => {
  await bench.found("historian", "Histories");
  const { bare } = await gatewayOf("historian");
  const sent = Array.from({ length: 60 }, (_, index) => `message ${index + 1}`);
  for (const text of sent) await bare.send("long", text);
  await bare.texts("long");
  const { page, close } = await visitConversations("historian");
  await page.getByRole("link", { name: "long", exact: true }).click();
  await page.getByText("You said: message 60").waitFor();
  await expect.poll(() => page.getByRole("listitem").count()).toBe(50);
  const button = page.getByRole("button", { name: "Show earlier messages" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("listitem").count(), { timeout: 60_000 }).toBe(100);
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Show earlier messages");
  await page.keyboard.press("Enter");
  await button.waitFor({ state: "detached" });
  const texts = await page.locator(".message-text").allTextContents();
  expect(texts).toEqual(sent.flatMap((text) => [text, `You said: ${text}`]));
  await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("conversation");
  await close();
});

test("a message whose run failed is marked with the reason, also when others follow it", async () => {
  await bench.found("unlucky", "Failures");
  const { bare } = await gatewayOf("unlucky");
  for (const text of ["fail", "hello", "fail"]) {
    await bare.send("broken", text);
    await bare.state("broken", { wait_ms: 20_000 });
  }
  const { page, close, picture, findings } = await visitConversations("unlucky");
  await page.getByRole("link", { name: "broken" }).click();
  await page.getByText("The run failed.").first().waitFor();
  const state = await bare.state("broken");
  await expect
    .poll(() => page.locator(".message-outcome").allTextContents())
    .toEqual(["The run failed. There is no reply.", `The run failed. ${state.json.run.error}`]);
  await picture("conversation-failed");
  expect(await findings()).toEqual([]);
  await close();
});

test("text that looks like HTML stays text, in messages, names, users and addresses", async () => {
  const [image = "", script = ""] = HOSTILE;
  const owner = `${image}`;
  await bench.found(owner, script);
  const { as } = await gatewayOf(owner);
  const user = "ann<script>window.wasRun=true</script>";
  await as(user).send(image, {
    role: "ROLE_USER",
    content: HOSTILE.map((content) => ({ type: "CONTENT_PART_TYPE_TEXT", content })),
  });
  await as(user).texts(image);
  const email = "<img/src=x/onerror=window.wasrun=true>@example.com";
  await bench.call(owner, "orgs/invitations/create", { email });

  const visit = await bench.open();
  const { page } = visit;
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("New user").fill(owner);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("banner").getByText(script, { exact: true }).waitFor();
  await goTo(page, "Conversations");
  await page.getByRole("cell", { name: user, exact: true }).waitFor();
  await page.getByRole("link", { name: image, exact: true }).click();
  await page.getByRole("heading", { name: image, exact: true }).waitFor();
  await expect
    .poll(() => page.locator(".message-text").allTextContents())
    .toEqual([...HOSTILE, `You said: ${HOSTILE.join("\n")}`]);
  await visit.picture("conversation-hostile");
  await goTo(page, "Members");
  await page.getByText(email, { exact: true }).waitFor();
  await page.getByText(owner, { exact: true }).first().waitFor();
  await visit.picture("members-hostile");
  expect(
    await page.evaluate(`({
    wasRun: window.wasRun ?? window.wasrun ?? false,
    images: document.images.length,
    scripts: document.querySelectorAll("#console script").length,
  })`),
  ).toEqual({ wasRun: false, images: 0, scripts: 0 });
  // It also asserts that the content security policy had nothing to report.
  await visit.close();
});

test("a user whose role does not include conversations sees none, and the service refuses", async () => {
  await bench.found("boss", "Closed");
  await bench.join("accountant", "boss", "accountant");
  const { page, close } = await bench.signIn("accountant");
  await page.getByRole("link", { name: "Members" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Conversations" }).count()).toBe(0);
  await page.goto(`${bench.url}/conversations`);
  await page.getByRole("heading", { name: "Nothing here" }).waitFor();
  await expect(bench.call("accountant", "llm/gateway/list-threads")).rejects.toThrow("403");
  await close();
});

test.each([
  ["light", 360],
  ["dark", 360],
  ["dark", 1_280],
] as const)("list and conversation are accessible, %s at %d pixels", async (colorScheme, width) => {
  const sub = `viewer-${colorScheme}-${width}`;
  await bench.found(sub, "Accessible");
  const { as } = await gatewayOf(sub);
  const key = `a-conversation-of-a-rather-long-name-${"x".repeat(80)}`;
  await as("a-user").send(key, `${"word ".repeat(80)}\n${"unbroken".repeat(40)}`);
  await as("a-user").texts(key);
  const isNarrow = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
  const { page, close, picture, findings } = await visitConversations(sub, {
    colorScheme,
    viewport: { width, height: 800 },
  });
  await page.getByRole("link", { name: key }).waitFor();
  expect(await findings()).toEqual([]);
  await expect.poll(() => page.evaluate(isNarrow)).toBe(true);
  await picture(`conversations-${colorScheme}-${width}`);
  await page.getByRole("link", { name: key }).click();
  await page.getByRole("list", { name: "Messages" }).waitFor();
  expect(await findings()).toEqual([]);
  await expect.poll(() => page.evaluate(isNarrow)).toBe(true);
  await picture(`conversation-${colorScheme}-${width}`);
  await close();
});
