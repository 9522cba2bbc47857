import type { ErrorReasonName } from "../../../clients/typescript/src/error-reason.ts";

/** Errors whose message is for callers of the API, in words of the page. Others are shown as the service says them. */
const SENTENCES: Partial<Record<ErrorReasonName, string>> = {
  last_owner: "This is the only owner. Make another member owner first.",
  member_not_found: "This person is not a member any more.",
  no_organization: "Members are managed at your identity provider, or this organization is gone.",
  organization_not_found: "You are not a member of this organization any more.",
  organizations_at_provider:
    "Organizations are managed at your identity provider. Create one there, and sign in to it.",
  already_member: "You are a member of this organization already.",
  invitation_not_found: "There is no such invitation. Open the link whole, as it was sent to you.",
  invitation_accepted: "This invitation was accepted already.",
  invitation_revoked: "This invitation was revoked. Ask for another one.",
  invitation_expired: "This invitation has expired. Ask for another one.",
  invitation_ended: "This invitation has ended: the person who made it may not give its role any more.",
  too_many_organizations: "You are or were a member of 1,000 organizations, the most for one person.",
  too_many_invitations: "There are 1,000 open invitations, the most at a time. Revoke one first.",
  key_not_found: "There is no such key in this organization.",
  conversation_not_found: "There is no such conversation in this organization.",
  storage_unavailable: "The service cannot reach its storage. Try again in a moment.",
  overloaded: "The service is busy. Try again in a moment.",
};

/** Members of requests that a page has a field for, as errors name them. */
export const LABELS: Readonly<Record<string, string>> = {
  name: "Name",
  description: "Description",
  email: "Email address",
  role: "Role",
  issuer: "Issuer",
  audience: "Audience",
  jwks_url: "Key set URL",
  jwks: "Key set",
  claim_rules: "Claims",
  key_id: "Key",
  scopes: "Scopes",
};

export function sentenceOf(reason: ErrorReasonName | undefined): string | undefined {
  return reason === undefined ? undefined : SENTENCES[reason];
}

/** The page's name of a request's member. */
export function labelOf(field: string): string | undefined {
  return Object.hasOwn(LABELS, field) ? LABELS[field] : undefined;
}
