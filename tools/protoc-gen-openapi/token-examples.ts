import type { JsonObject } from "@bufbuild/protobuf";

const KEY_ID = "key_6f1d6c0a4b0e4f0c9f7f3a0c2d1e5b88";
const CREATED_AT = "2026-01-31T12:00:00.123Z";

const TOKEN = {
  token_id: "tok_5b0c1a7e9d3f4c62a8e7d1f04b96c23a",
  key_id: KEY_ID,
  scopes: ["conversations:read"],
  audience: "https://api.example.com",
  created_at: CREATED_AT,
  expires_at: "2026-01-31T12:15:00.123Z",
};
const BY_RULE_ID = { rule_id: "fed_c48e2f0b7a914d53b6e1f9d02c7a8e65" };
const RULE_VALUES = {
  name: "Deployments of the shop",
  issuer: "https://token.actions.githubusercontent.com",
  jwks_url: "https://token.actions.githubusercontent.com/.well-known/jwks",
  audience: "https://api.example.com/ten_acme",
  claim_rules: [
    { claim: "repository_id", equals: "123456789" },
    { claim: "ref", equals: "refs/heads/main" },
  ],
  key_id: KEY_ID,
  scopes: ["conversations:read"],
  ttl_seconds: 600,
};
const RULE = {
  ...BY_RULE_ID,
  ...RULE_VALUES,
  jwksUrl: RULE_VALUES.jwks_url,
  claimRules: RULE_VALUES.claim_rules,
  status: "FEDERATION_RULE_STATUS_ENABLED",
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

/** Examples of the services for tokens that stand for keys, by the message's name. */
export const TOKEN_EXAMPLES: Readonly<Record<string, JsonObject>> = {
  DeriveTokenRequest: { scopes: ["conversations:read"], ttl_seconds: 900 },
  DeriveTokenResponse: {
    result: { token: "<the token, a JWT>", token_id: TOKEN.token_id, expires_at: TOKEN.expires_at },
  },
  ListTokensRequest: { per_page: 20 },
  ListTokensResponse: { tokens: [TOKEN], next_page_token: "" },
  RevokeTokenRequest: { token_id: TOKEN.token_id },
  RevokeTokenResponse: { result: { ...TOKEN, revoked_at: "2026-01-31T12:05:00.123Z" } },
  CreateFederationRuleRequest: RULE_VALUES,
  CreateFederationRuleResponse: { result: RULE },
  ListFederationRulesRequest: {},
  ListFederationRulesResponse: { rules: [RULE], next_page_token: "" },
  GetFederationRuleRequest: BY_RULE_ID,
  GetFederationRuleResponse: { result: RULE },
  UpdateFederationRuleRequest: {
    ...BY_RULE_ID,
    status: "FEDERATION_RULE_STATUS_DISABLED",
    update_mask: "status",
  },
  UpdateFederationRuleResponse: { result: { ...RULE, status: "FEDERATION_RULE_STATUS_DISABLED" } },
  DeleteFederationRuleRequest: BY_RULE_ID,
  DeleteFederationRuleResponse: {},
  CheckFederationAssertionRequest: { ...BY_RULE_ID, assertion: "<the workload's token>" },
  CheckFederationAssertionResponse: {
    passed: false,
    steps: [
      { name: "status", passed: true, expected: "", found: "", detail: "The rule is enabled." },
      {
        name: "claim_rules",
        passed: false,
        expected: 'repository_id equals "123456789"; ref equals "refs/heads/main"',
        found: '[["repository_id","123456789"],["ref","refs/heads/next"]]',
        detail: "The token has another value in the claim ref; send a token that has it as the rule's claimRules say.",
      },
    ],
  },
};
