import type { Command } from "commander";
import { INVITATION, MEMBER, MEMBERSHIP, ORG } from "../columns/orgs.ts";
import { addCommand, addGroup, type Surroundings } from "../command.ts";
import { secretIn } from "../input/secret-source.ts";
import { type PageOptions, pageOf, withPages } from "./page.ts";
import { type RequestIdOption, refuseRepetition, requestIdOf, withRequestId } from "./request-id.ts";

/** `latchkey orgs`: organizations of a dashboard user. */
export function addOrgs(program: Command, around: Surroundings): void {
  const orgs = addGroup(program, "orgs", "organizations, their members and invitations");
  addOrganizations(orgs, around);
  addMembers(addGroup(orgs, "members", "members of your organization"), around);
  addInvitations(addGroup(orgs, "invitations", "invitations to your organization"), around);
}

function addOrganizations(orgs: Command, around: Surroundings): void {
  const create = "create an organization, of which you are the owner";
  addCommand<{ clientOrgId?: string }>(orgs, "create <name>", create, around, async (run) => {
    const [name = ""] = run.args;
    const client = await run.client("user");
    const response = await client.orgs.createOrg({ name, clientOrgId: run.options.clientOrgId ?? "" });
    run.item(response, response.result, ORG);
  }).option("--client-org-id <text>", "your own name for it, so that the command can be repeated");
  const list = addCommand<PageOptions>(orgs, "list", "list your organizations", around, async (run) => {
    const client = await run.client("user");
    const response = await client.orgs.listOrgs(pageOf(run.options));
    run.list(response, response.orgs, MEMBERSHIP, response.pagination);
  });
  withPages(list);
  addCommand(orgs, "get", "show your organization", around, async (run) => {
    const client = await run.client("user");
    const response = await client.orgs.getOrg({});
    run.item(response, response.result, ORG);
  });
  addCommand(orgs, "update <name>", "rename your organization", around, async (run) => {
    const [name = ""] = run.args;
    const client = await run.client("user");
    const response = await client.orgs.updateOrg({ name });
    run.item(response, response.result, ORG);
  });
  addCommand(orgs, "switch <org_id>", "choose the organization of your next token", around, async (run) => {
    const [orgId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.orgs.switchOrg({ orgId });
    run.item(response, response.result, MEMBERSHIP);
  });
}

function addMembers(members: Command, around: Surroundings): void {
  const list = addCommand<PageOptions>(members, "list", "list members, the oldest first", around, async (run) => {
    const client = await run.client("user");
    const response = await client.orgs.listMembers(pageOf(run.options));
    run.list(response, response.members, MEMBER, response.pagination);
  });
  withPages(list);
  addCommand<{ issuer?: string }>(
    members,
    "set-role <user_id> <role>",
    "change a member's role",
    around,
    async (run) => {
      const [userId = "", role = ""] = run.args;
      const client = await run.client("user");
      const response = await client.orgs.setMemberRole({ userId, role, issuer: run.options.issuer ?? "" });
      if (response.warning !== undefined) run.note(`Warning: ${response.warning}`);
      run.item(response, response.result, MEMBER);
    },
  ).option("--issuer <url>", "issuer of the member's tokens (default: yours)");
  const remove = "remove a member, at once on every replica";
  addCommand<{ issuer?: string }>(members, "remove <user_id>", remove, around, async (run) => {
    const [userId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.orgs.removeMember({ userId, issuer: run.options.issuer ?? "" });
    run.item(response, response.result, MEMBER);
  }).option("--issuer <url>", "issuer of the member's tokens (default: yours)");
}

function addInvitations(invitations: Command, around: Surroundings): void {
  const create = "invite a person by email; stdout has the token to accept it with, once";
  type Options = RequestIdOption & { role?: string };
  const creating = addCommand<Options>(invitations, "create <email>", create, around, async (run) => {
    const [email = ""] = run.args;
    const client = await run.client("user");
    const request = { email, role: run.options.role ?? "", ...requestIdOf(run.options) };
    const response = await client.orgs.createInvitation(request);
    const { result, token, alreadyCreated } = response;
    const advice = "Send the token to that person. This is the only time that it is shown.";
    if (result === undefined) return;
    refuseRepetition(run, alreadyCreated, `${result.invitationId}, whose token`, "revoke it and create another");
    run.secret(response, token, result, INVITATION, advice);
  });
  withRequestId(creating).option("--role <role>", "role of the new member (default: viewer)");
  const list = addCommand<PageOptions>(invitations, "list", "list invitations, newest first", around, async (run) => {
    const client = await run.client("user");
    const response = await client.orgs.listInvitations(pageOf(run.options));
    run.list(response, response.invitations, INVITATION, response.pagination);
  });
  withPages(list);
  addCommand(invitations, "revoke <invitation_id>", "end an invitation", around, async (run) => {
    const [invitationId = ""] = run.args;
    const client = await run.client("user");
    const response = await client.orgs.revokeInvitation({ invitationId });
    run.item(response, response.result, INVITATION);
  });
  const accept = "become a member, by the token of an invitation";
  addCommand<{ invitationFile: string }>(invitations, "accept", accept, around, async (run) => {
    const token = secretIn(run.options.invitationFile, "--invitation-file");
    const client = await run.client("user");
    const response = await client.orgs.acceptInvitation({ token });
    run.item(response, response.result, ORG);
  }).requiredOption("--invitation-file <path>", "file with the invitation's token, `-` for stdin");
}
