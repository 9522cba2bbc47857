import type { Command } from "commander";
import { addGroup } from "../command.ts";

/** The groups of commands, in the order of help. */
export function addGroups(program: Command): void {
  const keys = addGroup(program, "keys", "API keys of your tenant");
  addGroup(keys, "policy", "rules of your tenant for its keys");
  addGroup(program, "usage", "uses of all keys of your tenant");
  addGroup(program, "requests", "recent requests to your tenant, and why they were denied");
  const orgs = addGroup(program, "orgs", "organizations, their members and invitations");
  addGroup(orgs, "members", "members of your organization");
  addGroup(orgs, "invitations", "invitations to your organization");
  addGroup(program, "audit", "who did what to your tenant, and when");
  addGroup(program, "webhooks", "endpoints that the events of your tenant are sent to");
  addGroup(program, "tokens", "short-lived access tokens with some permissions of a key");
  addGroup(program, "federation", "rules by which workloads get tokens without a stored secret");
  const operator = addGroup(program, "operator", "keys and tenants of all customers, for those who run the service");
  addGroup(operator, "keys", "keys of any tenant");
  addGroup(operator, "key-formats", "what the keys of other systems look like, so that they can be imported");
  addGroup(operator, "tenants", "the customers");
  addGroup(operator, "users", "users of tenants");
  addGroup(operator, "audit", "who did what, in all tenants");
}

/** The group of these words. A new one has no description. */
export function groupOf(program: Command, words: readonly string[]): Command {
  return words.reduce(
    (group, word) => group.commands.find((each) => each.name() === word) ?? addGroup(group, word, ""),
    program,
  );
}
