const CREATED_AT = "2026-01-31T12:00:00.123Z";
const TENANT_ID = "ten_d59cf697afdbddd60a1fd0ac71439134";
const PAGINATION = { total: 1, page: 1, per_page: 20, total_pages: 1 };

const ORG_ID = "org_19b4815de998d9e399ec75368b7eba26";
const ORG = { org_id: ORG_ID, tenant_id: TENANT_ID, name: "Acme", created_at: CREATED_AT };
const MEMBERSHIP = { org_id: ORG_ID, tenant_id: TENANT_ID, name: "Acme", role: "owner", current: true };
const BY_USER = { user_id: "user-42" };
const MEMBER = {
  user_id: "user-42",
  issuer: "https://login.example.com",
  role: "developer",
  email: "jo@example.com",
  created_at: CREATED_AT,
};
const BY_INVITATION_ID = { invitation_id: "ivt_0f4e5c9b7d2a41868b3c6a90e1d25f73" };
const INVITATION = {
  ...BY_INVITATION_ID,
  email: "jo@example.com",
  role: "developer",
  status: "INVITATION_STATUS_PENDING",
  created_at: CREATED_AT,
  expires_at: "2026-02-07T12:00:00.123Z",
  created_by: { user_id: "user-7", issuer: "https://login.example.com" },
};

/** Of OrgService. */
export const ORG_EXAMPLES = {
  CreateOrgRequest: { name: "Acme" },
  CreateOrgResponse: { result: ORG },
  ListOrgsRequest: { page: 1, per_page: 20 },
  ListOrgsResponse: { orgs: [MEMBERSHIP], pagination: PAGINATION, next_page_token: "" },
  GetOrgRequest: {},
  GetOrgResponse: { result: ORG },
  UpdateOrgRequest: { name: "Acme" },
  UpdateOrgResponse: { result: ORG },
  SwitchOrgRequest: { org_id: ORG_ID },
  SwitchOrgResponse: { result: MEMBERSHIP },
  ListMembersRequest: { page: 1, per_page: 20 },
  ListMembersResponse: { members: [MEMBER], pagination: PAGINATION, next_page_token: "" },
  SetMemberRoleRequest: { ...BY_USER, role: "developer" },
  SetMemberRoleResponse: {
    result: MEMBER,
    warning: "Roles are read from tokens here: a token that this member has now keeps its roles until it expires.",
  },
  RemoveMemberRequest: BY_USER,
  RemoveMemberResponse: { result: MEMBER },
  CreateInvitationRequest: { email: "jo@example.com", role: "developer" },
  CreateInvitationResponse: { result: INVITATION, token: "inv_<the token, returned once>" },
  ListInvitationsRequest: { page: 1, per_page: 20 },
  ListInvitationsResponse: { invitations: [INVITATION], pagination: PAGINATION, next_page_token: "" },
  RevokeInvitationRequest: BY_INVITATION_ID,
  RevokeInvitationResponse: { result: { ...INVITATION, status: "INVITATION_STATUS_REVOKED" } },
  PreviewInvitationRequest: { token: "inv_<the token, returned once>" },
  PreviewInvitationResponse: {
    result: {
      ...{ organization_name: "Acme", role: "developer", invited_by_email: "anna@example.com" },
      expires_at: INVITATION.expires_at,
    },
  },
  AcceptInvitationRequest: { token: "inv_<the token, returned once>" },
  AcceptInvitationResponse: { result: ORG },
};
