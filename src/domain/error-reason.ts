const INVALID_ARGUMENT = { code: "invalid_argument", status: 400 } as const;
const NOT_FOUND = { code: "not_found", status: 404 } as const;
const FAILED_PRECONDITION = { code: "failed_precondition", status: 400 } as const;

/**
 * The one table from a reason to its Connect code and HTTP status. The names are the lower-case ones of `ErrorReason` in
 * `proto/latchkey/v1/error_reason.proto`, which has the cause and the remedy of each.
 */
export const ERROR_REASONS = {
  malformed_http: INVALID_ARGUMENT,
  invalid_header: INVALID_ARGUMENT,
  malformed_body: INVALID_ARGUMENT,
  body_too_complex: INVALID_ARGUMENT,
  unknown_member: INVALID_ARGUMENT,
  duplicate_member: INVALID_ARGUMENT,
  required: INVALID_ARGUMENT,
  invalid_value: INVALID_ARGUMENT,
  one_of_required: INVALID_ARGUMENT,
  unknown_scope: INVALID_ARGUMENT,
  scope_blocked: INVALID_ARGUMENT,
  unknown_role: INVALID_ARGUMENT,
  invalid_update_mask: INVALID_ARGUMENT,
  invalid_page_token: INVALID_ARGUMENT,
  invalid_period: INVALID_ARGUMENT,
  expiry_not_in_future: INVALID_ARGUMENT,
  not_for_key_type: INVALID_ARGUMENT,
  discovery_failed: INVALID_ARGUMENT,
  unknown_message: INVALID_ARGUMENT,
  message_too_large: INVALID_ARGUMENT,
  key_not_found: NOT_FOUND,
  conversation_not_found: NOT_FOUND,
  no_organization: NOT_FOUND,
  organization_not_found: NOT_FOUND,
  member_not_found: NOT_FOUND,
  invitation_not_found: NOT_FOUND,
  path_not_found: NOT_FOUND,
  key_revoked: FAILED_PRECONDITION,
  key_expired: FAILED_PRECONDITION,
  key_disabled: FAILED_PRECONDITION,
  key_already_rotated: FAILED_PRECONDITION,
  publishable_key_not_rotatable: FAILED_PRECONDITION,
  rule_exceeded: FAILED_PRECONDITION,
  last_owner: FAILED_PRECONDITION,
  invitation_accepted: FAILED_PRECONDITION,
  invitation_revoked: FAILED_PRECONDITION,
  invitation_expired: FAILED_PRECONDITION,
  already_member: FAILED_PRECONDITION,
  organizations_at_provider: FAILED_PRECONDITION,
  client_org_id_reused: FAILED_PRECONDITION,
  client_message_id_reused: FAILED_PRECONDITION,
  conversation_full: FAILED_PRECONDITION,
  operator_tenant: FAILED_PRECONDITION,
  tenant_being_erased: FAILED_PRECONDITION,
  method_not_allowed: { code: "unimplemented", status: 405 },
  request_timeout: { code: "deadline_exceeded", status: 408 },
  body_too_large: { code: "resource_exhausted", status: 413 },
  unsupported_media_type: { code: "invalid_argument", status: 415 },
  unsupported_content_encoding: { code: "unimplemented", status: 415 },
  expectation_failed: { code: "unimplemented", status: 417 },
  headers_too_large: { code: "resource_exhausted", status: 431 },
  http_version_not_supported: { code: "unimplemented", status: 505 },
  internal: { code: "internal", status: 500 },
  storage_unavailable: { code: "unavailable", status: 503 },
  scanner_keys_unavailable: { code: "unavailable", status: 503 },
  deadline_passed: { code: "deadline_exceeded", status: 504 },
} as const satisfies Record<string, { readonly code: string; readonly status: number }>;

/** Why a call failed that was not denied. */
export type ErrorReason = keyof typeof ERROR_REASONS;
