import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, signInAt, startConsole, type Visit } from "../harness/console.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
});

afterAll(() => bench.close());

let users = 0;

/** A user of this name alone. */
function newUser(name: string): string {
  return `${name}-${++users}`;
}

async function founded(name: string): Promise<{ readonly owner: string; readonly tenantId: string }> {
  const owner = newUser("owner");
  return { owner, tenantId: await bench.found(owner, name) };
}

async function visitMembers(sub: string, options: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, options);
  await goTo(visit.page, "Members");
  await visit.page.getByRole("heading", { name: "Invitations" }).waitFor();
  return visit;
}

function rowOf(page: Page, sub: string) {
  return page.getByRole("table", { name: "Members" }).getByRole("row", { name: `${sub}@example.com` });
}

/** Makes an invitation through the page. Returns its link. */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole("button", { name: "Invite a member" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByRole("button", { name: "Create invitation" }).click();
  return page.getByLabel("Invitation link").inputValue();
}

function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
}

async function isNarrow(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
}

test("an invitation of one browser makes the invited person a member in another", async () => {
  const { owner } = await founded("Compilers");
  const guest = newUser("guest");
  const host = await visitMembers(owner, { permissions: ["clipboard-read", "clipboard-write"] });
  await host.picture("members-alone");
  const link = await invite(host.page, `${guest}@example.com`, "developer");
  expect(link).toMatch(new RegExp(`^${bench.url}/invitation#inv_[\\w-]{43}$`));
  await host.page.getByText("This link is shown once.").waitFor();
  await host.page.getByRole("button", { name: "Copy link" }).click();
  await host.page.getByText("Copied").waitFor();
  await expect.poll(() => host.page.evaluate("navigator.clipboard.readText()")).toBe(link);
  await host.picture("invitation-created");
  expect(await host.findings()).toEqual([]);
  await host.page.getByRole("button", { name: "Done" }).click();
  await host.page.getByLabel("Invitation link").waitFor({ state: "detached" });
  await expect.poll(() => focused(host.page)).toBe("Invite a member");
  await host.page.getByRole("cell", { name: "pending", exact: true }).waitFor();

  const visit = await bench.open();
  await visit.page.goto(link);
  await visit.page.getByRole("heading", { name: "You are invited to an organization" }).waitFor();
  await visit.picture("entrance-invited");
  expect(await visit.findings()).toEqual([]);
  await signInAt(visit.page, guest);
  await visit.page.getByRole("heading", { name: `${owner}@example.com invites you to join Compilers` }).waitFor();
  await visit.page.getByRole("definition").filter({ hasText: "developer" }).waitFor();
  expect(visit.page.url()).toBe(`${bench.url}/invitation`);
  await visit.page
    .getByRole("definition")
    .filter({ hasText: `${guest}@example.com` })
    .waitFor();
  await visit.picture("invitation");
  expect(await visit.findings()).toEqual([]);
  await visit.page.getByRole("button", { name: "Join" }).click();
  await visit.page.getByRole("banner").getByText("Compilers").waitFor();
  await visit.page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  expect(await bench.call(guest, "orgs/members/list")).toMatchObject({ members: [{}, { role: "developer" }] });

  await host.page.reload();
  await expect.poll(() => rowOf(host.page, guest).textContent()).toContain("developer");
  await host.page.getByRole("cell", { name: "accepted" }).waitFor();
  await host.picture("members");
  await visit.close();
  await host.close();
});

test("a used invitation, a revoked one and one of another address say what the service says", async () => {
  const { owner } = await founded("Refusals");
  const [first, second, other] = [newUser("first"), newUser("second"), newUser("other")];
  const create = async (sub: string) =>
    (await bench.call(owner, "orgs/invitations/create", { email: `${sub}@example.com` })) as {
      result: { invitation_id: string };
      token: string;
    };
  const linkOf = (token: string): string => `${bench.url}/invitation#${token}`;
  const [used, foreign, revoked] = [await create(first), await create(second), await create(first)];
  await bench.call(first, "orgs/invitations/accept", { token: used.token });
  await bench.call(owner, "orgs/invitations/revoke", { invitation_id: revoked.result.invitation_id });
  await bench.found(other, "Elsewhere");

  for (const [sub, token, sentence] of [
    [first, used.token, "This invitation was accepted already."],
    [first, revoked.token, "This invitation was revoked. Ask for another one."],
    [other, foreign.token, "This invitation is for another email address than that of this token"],
  ] as const) {
    const { page, close, picture } = await bench.open();
    await page.goto(linkOf(token));
    await signInAt(page, sub);
    await expect.poll(() => page.getByRole("alert").textContent()).toContain(sentence);
    await expect.poll(() => page.getByRole("button", { name: "Join" }).count()).toBe(0);
    await picture("invitation-refused");
    await close();
  }
});

test("a token is taken from an address that changes while the page is open, and from a link that is entered", async () => {
  const guest = newUser("guest");
  const { page, close, picture } = await bench.signIn(guest);
  await page.getByRole("link", { name: "enter it here" }).click();
  await page.getByLabel("Invitation link").fill("https://example.com/");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("There is no invitation in it").waitFor();
  await picture("invitation-link");
  await page.getByLabel("Invitation link").fill(`${bench.url}/invitation#inv_${"a".repeat(43)}`);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("There is no such invitation.");
  const read = page.waitForRequest((request) => request.postData()?.includes("b".repeat(43)) === true);
  await page.evaluate(`location.hash = "inv_${"b".repeat(43)}"`);
  await read;
  expect(page.url()).toBe(`${bench.url}/invitation`);
  await close();
});

test("an invitation outlives a session that ends before it is accepted", async () => {
  const { owner } = await founded("Patience");
  const guest = newUser("guest");
  const { token } = await bench.call(owner, "orgs/invitations/create", { email: `${guest}@example.com` });
  const { page, close } = await bench.open();
  await page.goto(`${bench.url}/invitation#${token}`);
  await signInAt(page, guest);
  const headers = { "access-control-allow-origin": "*" };
  await page.route("**/AcceptInvitation", (route) => route.fulfill({ status: 401, json: { code: "unauthenticated" } }));
  await page.route("**/token", (route) => route.fulfill({ status: 400, headers, json: { error: "invalid_grant" } }));
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByText("Your session is over").waitFor();
  await page.unrouteAll();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Join" }).click();
  await page.getByRole("banner").getByText("Patience").waitFor();
  await close();
});

test("the keyboard alone invites, changes a role, revokes and removes; the focus stays where it makes sense", async () => {
  const { owner } = await founded("Keyboard");
  const member = newUser("member");
  await bench.join(member, owner, "viewer");
  const { page, close } = await visitMembers(owner);

  await page.getByRole("button", { name: "Invite a member" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.labels?.[0]?.textContent")).toBe("Email address");
  await page.keyboard.type("new@example.com");
  await page.keyboard.press("Enter");
  await page.getByLabel("Invitation link").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Close without the link?" }).waitFor();
  await page.getByRole("button", { name: "Close without it" }).press("Enter");
  await page.getByLabel("Invitation link").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe("Invite a member");

  await page.getByRole("button", { name: `Change role of ${member}@example.com` }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Role", { exact: true }).waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("SELECT");
  await page.keyboard.type("dev");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByLabel("Role", { exact: true }).waitFor({ state: "detached" });
  await page.getByText("keeps its roles until it expires").waitFor();
  await expect.poll(() => focused(page)).toBe("Done");
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await expect.poll(() => rowOf(page, member).textContent()).toContain("developer");
  await expect.poll(() => focused(page)).toBe(`Change role of ${member}@example.com`);

  await page.getByRole("button", { name: "Revoke invitation of new@example.com" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor();
  await expect.poll(() => focused(page)).toBe("Cancel");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "revoked" }).waitFor();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe("Invitations");

  await page.getByRole("button", { name: `Remove ${member}@example.com` }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor();
  await expect.poll(() => focused(page)).toBe("Cancel");
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe(`Remove ${member}@example.com`);
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor();
  await expect.poll(() => focused(page)).toBe("Cancel");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await rowOf(page, member).waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toBe("In the organization");
  expect(await bench.call(owner, "orgs/members/list")).toMatchObject({ pagination: { total: 1 } });
  await close();
});

test("the last owner can neither leave nor take another role, and the page says why", async () => {
  const { owner } = await founded("Last");
  const { page, close, picture } = await visitMembers(owner);
  await page.getByRole("button", { name: "Leave the organization" }).click();
  await page.getByRole("alertdialog").getByText(`${owner}@example.com`).waitFor();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await expect
    .poll(() => page.getByRole("alert").textContent())
    .toContain("This is the only owner. Make another member owner first.");
  await picture("last-owner");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: `Change role of ${owner}@example.com` }).click();
  await page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await picture("change-role");
  await page.getByRole("button", { name: "Save" }).click();
  await expect
    .poll(() => page.getByRole("alert").textContent())
    .toContain("This is the only owner. Make another member owner first.");
  await close();
});

test("who leaves is asked for an organization, and who takes a lesser role sees less", async () => {
  const { owner } = await founded("Leaving");
  const second = newUser("second");
  await bench.join(second, owner, "owner");
  const { page, close } = await visitMembers(second);
  await page.getByRole("button", { name: `Change role of ${second}@example.com` }).click();
  await page.getByLabel("Role", { exact: true }).selectOption("developer");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Invite a member" }).waitFor({ state: "detached" });
  await expect.poll(() => rowOf(page, second).textContent()).toContain("developer");
  await close();

  await bench.call(owner, "orgs/members/set-role", { user_id: second, role: "admin" });
  const again = await visitMembers(second);
  await again.page.getByRole("button", { name: "Leave the organization" }).click();
  await again.page.getByRole("button", { name: "Leave", exact: true }).click();
  await again.page.getByRole("heading", { name: "Create an organization" }).waitFor();
  await expect.poll(() => again.page.getByRole("navigation").getByRole("link").count()).toBe(0);
  await again.close();
});

test("where roles are in tokens, a new role has a warning, and the invitations of its member have ended", async () => {
  const { owner } = await founded("Warnings");
  const member = newUser("member");
  await bench.join(member, owner, "admin");
  await bench.call(member, "orgs/invitations/create", { email: "ended@example.com", role: "admin" });
  const { page, close, findings, picture } = await visitMembers(owner);
  await page.getByRole("cell", { name: "pending", exact: true }).waitFor();
  await page.getByRole("button", { name: `Change role of ${member}@example.com` }).click();
  await page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: `${member}@example.com is viewer now` }).waitFor();
  await expect.poll(() => page.getByRole("alertdialog").textContent()).toContain("Roles are read from tokens here");
  expect(await findings()).toEqual([]);
  await picture("change-role-warning");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await page.getByRole("row", { name: "ended@example.com" }).getByText("ended", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Revoke invitation of ended@example.com" }).count()).toBe(0);
  await picture("invitation-ended");
  await close();
});

test("a viewer sees the members and no button, and the service refuses all the same", async () => {
  const { owner } = await founded("Viewers");
  const viewer = newUser("viewer");
  await bench.join(viewer, owner, "viewer");
  const { page, close, picture } = await visitMembers(viewer);
  await rowOf(page, owner).waitFor();
  await expect
    .poll(() =>
      page
        .getByRole("main")
        .getByRole("button", { name: /^(?!Copy)/ })
        .count(),
    )
    .toBe(0);
  await picture("members-viewer");
  const body = { user_id: owner };
  for (const path of ["orgs/members/remove", "orgs/invitations/create"] as const) {
    await expect(bench.call(viewer, path, { ...body, email: "a@example.com" })).rejects.toThrow(/: 4\d\d /);
  }
  await close();
});

test.each(["light", "dark"] as const)(
  "the page is accessible and cuts nothing, %s from 360 to 2,000 pixels",
  async (colorScheme) => {
    const { owner } = await founded("Accessible");
    const member = newUser("member-of-a-rather-long-name-in-the-department-of-engineering");
    await bench.join(member, owner, "developer");
    await bench.call(owner, "orgs/invitations/create", { email: "pending@example.com" });
    const { page, close, findings, picture } = await visitMembers(owner, { colorScheme });
    const widths = [360, 1_280, 2_000];
    await page.getByText("pending", { exact: true }).waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect(await findings()).toEqual([]);
      await expect.poll(() => isNarrow(page)).toBe(true);
      await picture(`members-${colorScheme}-${width}`);
    }
    await page.getByRole("button", { name: `Remove ${member}@example.com` }).click();
    await page.getByRole("alertdialog").waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect(await findings()).toEqual([]);
      await picture(`remove-member-${colorScheme}-${width}`);
    }
    await close();
  },
);
