// Generated from the protos by `npm run generate:swift`. Do not edit.

extension LatchkeyError.Reason {
    /// 401. The request carries neither an API key nor a user token.
    ///
    /// Remedy: send `X-API-Key: <key>` or `Authorization: Bearer <token>`.
    public static let missingCredentials = Self(rawValue: "missing_credentials")

    /// 401. No such API key exists.
    ///
    /// Remedy: check that the whole key was copied, and that it belongs to this environment.
    public static let apiKeyNotFound = Self(rawValue: "api_key_not_found")

    /// 401. The API key is past its expiry.
    ///
    /// Remedy: create a new key, or use the successor it was rotated to.
    public static let apiKeyExpired = Self(rawValue: "api_key_expired")

    /// 401. The API key is disabled, or its tenant is suspended, as the message then says.
    ///
    /// Remedy: have an administrator enable it; or have the operator resume the tenant.
    public static let apiKeyDisabled = Self(rawValue: "api_key_disabled")

    /// 401. The API key was revoked, which is permanent.
    ///
    /// Remedy: create a new key.
    public static let apiKeyRevoked = Self(rawValue: "api_key_revoked")

    /// 401. The value of `X-API-Key` is not an API key.
    ///
    /// Remedy: send exactly one key, beginning with `sk_` or `pk_`.
    public static let apiKeyInvalid = Self(rawValue: "api_key_invalid")

    /// 403. The caller may not do this: the API key or the user lacks the scope, API keys cannot do it at all, or a key
    /// would get a scope that the caller lacks.
    ///
    /// Remedy: use a key with the scope that the message names, or a user with one of the roles that it names.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")

    /// 429. The API key exceeded its rate limit, its user the key's limit per user, or a dashboard user the limit of
    /// dashboard users.
    ///
    /// Remedy: wait for the seconds in `Retry-After`; a retry after them is admitted. Without `Retry-After` the
    /// request's `cost` is above the limit, and no retry is admitted.
    public static let rateLimited = Self(rawValue: "rate_limited")

    /// 401. A publishable key was sent without a user's token.
    ///
    /// Remedy: add `Authorization: Bearer <USER_JWT>`.
    public static let publishableKeyRequiresJWT = Self(rawValue: "publishable_key_requires_jwt")

    /// 401. The user's token has expired.
    ///
    /// Remedy: have the user sign in again, or refresh the token.
    public static let jwtExpired = Self(rawValue: "jwt_expired")

    /// 401. The token is not a well-formed JWT or not of the key's `tokenType`, or a claim it must carry is missing or
    /// unmet. At the operator's RPCs: it is not the operator's token either.
    ///
    /// Remedy: send the token whole, as its issuer signed it; the message names the claim or the part at fault.
    public static let jwtMalformed = Self(rawValue: "jwt_malformed")

    /// 401. The token's signature could not be verified with the issuer's keys.
    ///
    /// Remedy: check the signing key, its `kid` and the algorithm.
    public static let jwtInvalidSignature = Self(rawValue: "jwt_invalid_signature")

    /// 401. The token's `iss` differs from the configured issuer.
    ///
    /// Remedy: send a token of the configured issuer; the comparison is exact.
    public static let jwtInvalidIssuer = Self(rawValue: "jwt_invalid_issuer")

    /// 401. The token's `aud`, or the claim that a key's `audienceClaim` names in its place, differs from the
    /// configured audience, or its app (`azp`) is not one of the key's `authorizedParties`.
    ///
    /// Remedy: send a token issued for the configured audience; the comparison is exact.
    public static let jwtInvalidAudience = Self(rawValue: "jwt_invalid_audience")

    /// 401. The token lacks the claim that holds the user id, or the claim is not a string of 1 to 256 characters with
    /// a visible character and no control characters.
    ///
    /// Remedy: issue the token with that claim, or configure another `userIdClaim`.
    public static let userIDClaimNotFound = Self(rawValue: "user_id_claim_not_found")

    /// 403. The dashboard user's token names no tenant: its claim `tenant_id`, or that of `OIDC_TENANT_CLAIM`, must be
    /// a string of 1 to 256 characters with a visible character and no control characters.
    ///
    /// Remedy: create an organization or accept an invitation, then refresh the token; or have the identity provider
    /// issue such a claim.
    public static let tenantRequired = Self(rawValue: "tenant_required")

    /// 500. The credentials could not be checked. They are neither accepted nor rejected.
    ///
    /// Remedy: retry after the seconds in `Retry-After`; the identity provider or the storage did not answer. If it
    /// persists for a publishable key, check that its `jwksUrl` answers 200 with a JWK set, without redirects.
    /// `explain` of auth/verify returns the cause.
    public static let verifierError = Self(rawValue: "verifier_error")

    /// 500. The publishable key has no OIDC configuration, or one that names this service itself as the issuer.
    ///
    /// Remedy: recreate the key with `publishableConfig.oidc`.
    public static let misconfiguredPublishableKey = Self(rawValue: "misconfigured_publishable_key")

    /// 500. This service has no identity provider for dashboard users.
    ///
    /// Remedy: have its operator set `OIDC_ISSUER`, `OIDC_AUDIENCE` and, unless it is to be discovered,
    /// `OIDC_JWKS_URL`.
    public static let oidcNotConfigured = Self(rawValue: "oidc_not_configured")

    /// 403. The operator has suspended the tenant of the dashboard user. Its API keys are denied with
    /// `api_key_disabled`.
    ///
    /// Remedy: have the operator resume the tenant.
    public static let tenantSuspended = Self(rawValue: "tenant_suspended")

    /// 403. The key does not allow the source of the request: its address is not among the key's `allowed_ips`, its
    /// `Origin` is not among the `allowed_origins`, or a browser sends a secret key. Nothing is spent.
    ///
    /// Remedy: call from an address or a web page that the key allows, and use a publishable key in browsers. The
    /// message names the rule.
    public static let originNotAllowed = Self(rawValue: "origin_not_allowed")

    /// 401. The access token was revoked, or the federation rule that issued it is disabled or deleted.
    ///
    /// Remedy: get a new token, from a key or by an enabled rule.
    public static let tokenRevoked = Self(rawValue: "token_revoked")

    /// 400. The request is not valid HTTP, or not for this port. The connection is closed.
    ///
    /// Remedy: send a request of HTTP/1.1 or HTTP/2; the message names the part at fault.
    public static let malformedHTTP = Self(rawValue: "malformed_http")

    /// 400. A header of the call has an invalid value, such as `X-On-Behalf-Of` or `Connect-Timeout-Ms`.
    ///
    /// Remedy: correct the header that the message names.
    public static let invalidHeader = Self(rawValue: "invalid_header")

    /// 400. The body cannot be parsed: it is not a JSON object, or not a message of the protocol.
    ///
    /// Remedy: send one message in the format that `Content-Type` names; the message names the position of the fault.
    public static let malformedBody = Self(rawValue: "malformed_body")

    /// 400. The body has more than 5,000 parts, of an import 50,000: members, items and nested objects.
    ///
    /// Remedy: send fewer members or items.
    public static let bodyTooComplex = Self(rawValue: "body_too_complex")

    /// 400. The request has an unknown member or parameter.
    ///
    /// Remedy: remove it, or correct its name.
    public static let unknownMember = Self(rawValue: "unknown_member")

    /// 400. A member occurs twice.
    ///
    /// Remedy: send it once.
    public static let duplicateMember = Self(rawValue: "duplicate_member")

    /// 400. A member is required, and absent or empty.
    ///
    /// Remedy: send it.
    public static let required = Self(rawValue: "required")

    /// 400. A member has a value of the wrong type or form, or out of bounds.
    ///
    /// Remedy: correct the value as the message says.
    public static let invalidValue = Self(rawValue: "invalid_value")

    /// 400. Exactly one of several members is required, and the request has zero or more than one.
    ///
    /// Remedy: send exactly one of the members that the message names.
    public static let oneOfRequired = Self(rawValue: "one_of_required")

    /// 400. A scope is not in the list of scopes.
    ///
    /// Remedy: take the scope from `scopes/list`.
    public static let unknownScope = Self(rawValue: "unknown_scope")

    /// 400. A publishable key cannot have the scope.
    ///
    /// Remedy: remove the scope, or create a secret key.
    public static let scopeBlocked = Self(rawValue: "scope_blocked")

    /// 400. The role does not exist.
    ///
    /// Remedy: use one of the roles that the message names.
    public static let unknownRole = Self(rawValue: "unknown_role")

    /// 400. The mask `update_mask` is empty, or names a member that cannot be updated.
    ///
    /// Remedy: name the members to change, separated by commas.
    public static let invalidUpdateMask = Self(rawValue: "invalid_update_mask")

    /// 400. The `page_token` is not from a response of this list.
    ///
    /// Remedy: send the `next_page_token` of the previous response, or start without one.
    public static let invalidPageToken = Self(rawValue: "invalid_page_token")

    /// 400. The period from `from` to `to` is empty, not in the past or too long.
    ///
    /// Remedy: choose another `from`, `to` or `step`.
    public static let invalidPeriod = Self(rawValue: "invalid_period")

    /// 400. The `expires_at` is not in the future, by the clock of the service.
    ///
    /// Remedy: send a later instant, or leave it out.
    public static let expiryNotInFuture = Self(rawValue: "expiry_not_in_future")

    /// 400. A member is only for keys of the other type: secret or publishable.
    ///
    /// Remedy: remove the member, or use a key of the other type.
    public static let notForKeyType = Self(rawValue: "not_for_key_type")

    /// 400. The issuer's `jwksUrl` could not be discovered.
    ///
    /// Remedy: set `jwksUrl`, or have the issuer publish its metadata.
    public static let discoveryFailed = Self(rawValue: "discovery_failed")

    /// 400. The issuer, or the address of its key set, is this service's own: `TOKEN_ISSUER`, or the key set that it
    /// publishes.
    ///
    /// Remedy: name the identity provider that issues the tokens.
    public static let ownIssuer = Self(rawValue: "own_issuer")

    /// 400. The `before_message_id` names no message of the conversation.
    ///
    /// Remedy: send the `next_before_message_id` of the previous response.
    public static let unknownMessage = Self(rawValue: "unknown_message")

    /// 400. The message's text has more than 32,768 bytes.
    ///
    /// Remedy: send a shorter text, or several messages.
    public static let messageTooLarge = Self(rawValue: "message_too_large")

    /// 400. There is no event of this type.
    ///
    /// Remedy: use one of the types that the message names, or `*` for all.
    public static let unknownEventType = Self(rawValue: "unknown_event_type")

    /// 400. The header `Idempotency-Key` is sent with a call without a `client_request_id`: a retry would be executed
    /// again.
    ///
    /// Remedy: leave it out; the call may have another identifier for retries, such as `client_message_id`.
    public static let idempotencyNotSupported = Self(rawValue: "idempotency_not_supported")

    /// 404. The caller's tenant has no API key of this id. The answer is the same for another tenant's key.
    ///
    /// Remedy: take the id from `api-keys/list`.
    public static let keyNotFound = Self(rawValue: "key_not_found")

    /// 404. The caller has no such conversation. The answer is the same for another user's conversation.
    ///
    /// Remedy: take it from `gateway/list-threads`; `gateway/send-message` begins a new one.
    public static let conversationNotFound = Self(rawValue: "conversation_not_found")

    /// 404. The tenant of the call has no organization here.
    ///
    /// Remedy: create one with `orgs/create`.
    public static let noOrganization = Self(rawValue: "no_organization")

    /// 404. The caller is not a member of such an organization.
    ///
    /// Remedy: take `org_id` from `orgs/list`.
    public static let organizationNotFound = Self(rawValue: "organization_not_found")

    /// 404. The organization has no such member.
    ///
    /// Remedy: take `user_id` and `issuer` from `orgs/members/list`.
    public static let memberNotFound = Self(rawValue: "member_not_found")

    /// 404. The invitation does not exist, or the token is not one.
    ///
    /// Remedy: take `invitation_id` from `orgs/invitations/list`; send a `token` whole.
    public static let invitationNotFound = Self(rawValue: "invitation_not_found")

    /// 404. The path does not exist. On the path of an RPC, `/<service>/<method>`, the code is `unimplemented`.
    ///
    /// Remedy: send a POST to one of the paths in `/openapi.json`.
    public static let pathNotFound = Self(rawValue: "path_not_found")

    /// 404. The health check names an unknown service.
    ///
    /// Remedy: leave `service` empty for the server as a whole.
    public static let serviceNotFound = Self(rawValue: "service_not_found")

    /// 404. The tenant does not exist: nothing is stored about it.
    ///
    /// Remedy: take `tenant_id` from `operator/tenants/list`.
    public static let tenantNotFound = Self(rawValue: "tenant_not_found")

    /// 404. No recent request has this id. The answer is the same for another tenant's request and for an expired one.
    ///
    /// Remedy: take the `X-Request-Id` of the response, and ask within `REQUEST_LOG_DAYS`; of admitted requests only a
    /// sample is kept.
    public static let requestNotFound = Self(rawValue: "request_not_found")

    /// 404. The tenant has no such webhook. The answer is the same for another tenant's webhook.
    ///
    /// Remedy: take `webhook_id` from `webhooks/list`.
    public static let webhookNotFound = Self(rawValue: "webhook_not_found")

    /// 404. No delivery of the event is stored, or it was not sent to the webhook.
    ///
    /// Remedy: take `event_id` from `webhooks/deliveries/list`, which has the deliveries of 30 days.
    public static let eventNotFound = Self(rawValue: "event_not_found")

    /// 404. The token does not exist, belongs to another key or tenant, or was removed after it expired.
    ///
    /// Remedy: take a `token_id` from `tokens/list`.
    public static let tokenNotFound = Self(rawValue: "token_not_found")

    /// 404. The federation rule does not exist, or belongs to another tenant.
    ///
    /// Remedy: take a `rule_id` from `federation/rules/list`.
    public static let ruleNotFound = Self(rawValue: "rule_not_found")

    /// 404. The key format does not exist.
    ///
    /// Remedy: take a `key_format` from `operator/key-formats/list`, or create it.
    public static let keyFormatNotFound = Self(rawValue: "key_format_not_found")

    /// 400. The API key was revoked, which is permanent.
    ///
    /// Remedy: create a new key.
    public static let keyRevoked = Self(rawValue: "key_revoked")

    /// 400. The API key has expired, which is final.
    ///
    /// Remedy: create a new key.
    public static let keyExpired = Self(rawValue: "key_expired")

    /// 400. The API key is disabled.
    ///
    /// Remedy: enable it first.
    public static let keyDisabled = Self(rawValue: "key_disabled")

    /// 400. The API key was rotated already.
    ///
    /// Remedy: use or rotate its successor, which the message and `rotated_to` of the key name.
    public static let keyAlreadyRotated = Self(rawValue: "key_already_rotated")

    /// 400. A publishable key cannot be rotated.
    ///
    /// Remedy: create a new key, move the apps over, then revoke the old one.
    public static let publishableKeyNotRotatable = Self(rawValue: "publishable_key_not_rotatable")

    /// 400. The key would break one of the tenant's rules for keys, which the message names, or the tenant has the most
    /// keys it may have.
    ///
    /// Remedy: change the member, or the rule with `key-policy/set`.
    public static let ruleExceeded = Self(rawValue: "rule_exceeded")

    /// 400. The last owner of an organization can neither be removed nor get another role.
    ///
    /// Remedy: make another member owner first.
    public static let lastOwner = Self(rawValue: "last_owner")

    /// 400. The invitation was accepted already.
    ///
    /// Remedy: remove the member instead of revoking it.
    public static let invitationAccepted = Self(rawValue: "invitation_accepted")

    /// 400. The invitation was revoked.
    ///
    /// Remedy: ask for another one.
    public static let invitationRevoked = Self(rawValue: "invitation_revoked")

    /// 400. The invitation has expired, 7 days after it was made.
    ///
    /// Remedy: ask for another one.
    public static let invitationExpired = Self(rawValue: "invitation_expired")

    /// 400. The organizations of the identity provider are the tenants here.
    ///
    /// Remedy: create the organization there, and sign in to it.
    public static let organizationsAtProvider = Self(rawValue: "organizations_at_provider")

    /// 400. 5,000 messages of the conversation wait for a reply.
    ///
    /// Remedy: wait for some of them.
    public static let conversationFull = Self(rawValue: "conversation_full")

    /// 400. The tenant is the operator's own, which can neither be suspended nor erased.
    ///
    /// Remedy: name another tenant.
    public static let operatorTenant = Self(rawValue: "operator_tenant")

    /// 400. The tenant is being erased.
    ///
    /// Remedy: repeat the call when `operator/tenants/erase` returns `finished`.
    public static let tenantBeingErased = Self(rawValue: "tenant_being_erased")

    /// 400. The tenant was erased and cannot get new keys.
    ///
    /// Remedy: resume it with `operator/tenants/resume` first.
    public static let tenantErased = Self(rawValue: "tenant_erased")

    /// 400. The user is or was a member of 1,000 organizations, the most for a user.
    ///
    /// Remedy: use one of them, or another user.
    public static let tooManyOrganizations = Self(rawValue: "too_many_organizations")

    /// 400. The tenant has 1,000 invitations that can still be accepted, the most at a time.
    ///
    /// Remedy: revoke one, or wait until one is accepted or expires.
    public static let tooManyInvitations = Self(rawValue: "too_many_invitations")

    /// 400. The invitation is no longer valid, because its creator may no longer grant its role.
    ///
    /// Remedy: ask for another one.
    public static let invitationEnded = Self(rawValue: "invitation_ended")

    /// 400. This service keeps no recent requests.
    ///
    /// Remedy: have its operator set `REQUEST_LOG_DAYS` above 0; requests before that are not known.
    public static let requestsNotKept = Self(rawValue: "requests_not_kept")

    /// 400. The tenant has 20 webhooks, the most it may have.
    ///
    /// Remedy: delete one, or let one endpoint take the events of several.
    public static let tooManyWebhooks = Self(rawValue: "too_many_webhooks")

    /// 400. The webhook has five signing secrets, the maximum: each rotated secret signs for 24 hours more.
    ///
    /// Remedy: wait until the oldest of them expires, or create another webhook.
    public static let tooManyWebhookSecrets = Self(rawValue: "too_many_webhook_secrets")

    /// 400. The webhook is disabled, and gets no events.
    ///
    /// Remedy: enable it first, with `status` in `webhooks/update`.
    public static let webhookDisabled = Self(rawValue: "webhook_disabled")

    /// 400. This service issues no tokens.
    ///
    /// Remedy: have its operator set `TOKEN_SECRET` and `TOKEN_ISSUER`.
    public static let tokensNotConfigured = Self(rawValue: "tokens_not_configured")

    /// 400. The tenant has 100 federation rules, the most it may have.
    ///
    /// Remedy: delete one.
    public static let tooManyRules = Self(rawValue: "too_many_rules")

    /// 400. The key has 1,000 tokens that have not expired, the maximum; revoked tokens count until they expire.
    ///
    /// Remedy: wait until one expires; use each token for several calls, or give it a shorter `ttl_seconds`.
    public static let tooManyTokens = Self(rawValue: "too_many_tokens")

    /// 400. There are 32 key formats, the maximum.
    ///
    /// Remedy: delete one that no key uses any more.
    public static let tooManyKeyFormats = Self(rawValue: "too_many_key_formats")

    /// 400. A text could fit both the new key format and an existing one.
    ///
    /// Remedy: make `prefix`, the lengths or `alphabet` narrower.
    public static let keyFormatsOverlap = Self(rawValue: "key_formats_overlap")

    /// 400. The key format has keys that are neither expired nor revoked.
    ///
    /// Remedy: rotate or revoke them first; `operator/keys/list` with `key_format` lists those of a tenant.
    public static let keyFormatInUse = Self(rawValue: "key_format_in_use")

    /// 400. The key cannot be imported: it is too easy to guess, or is in use elsewhere. The reason of a row of an
    /// import.
    ///
    /// Remedy: give the holder of the key a new one.
    public static let keyNotImportable = Self(rawValue: "key_not_importable")

    /// 403. An access token cannot make this call, whatever its scopes: the result of the call could outlive the token.
    /// The `denial_reason` is `insufficient_scope`.
    ///
    /// Remedy: call with the API key itself, or with a dashboard user's token where keys may not call.
    public static let tokenNotAllowed = Self(rawValue: "token_not_allowed")

    /// 403. A key of this type cannot make this call, whatever its scopes: it is closed to all keys, or open only to
    /// secret keys. The `denial_reason` is `insufficient_scope`.
    ///
    /// Remedy: call with a dashboard user's token and without `X-API-Key`, or with a secret key where the message says
    /// so.
    public static let keyNotAllowed = Self(rawValue: "key_not_allowed")

    /// 405. The path does not accept this method.
    ///
    /// Remedy: use the method that the header `Allow` names.
    public static let methodNotAllowed = Self(rawValue: "method_not_allowed")

    /// 408. The request did not arrive in time. The connection is closed.
    ///
    /// Remedy: send it again.
    public static let requestTimeout = Self(rawValue: "request_timeout")

    /// 409. The caller is a member of the organization already.
    ///
    /// Remedy: use `orgs/switch`.
    public static let alreadyMember = Self(rawValue: "already_member")

    /// 400. The caller has created an organization of another name with this `client_org_id`.
    ///
    /// Remedy: use another `client_org_id`.
    public static let clientOrgIDReused = Self(rawValue: "client_org_id_reused")

    /// 409. The `client_message_id` was used for another message.
    ///
    /// Remedy: use a new `client_message_id` for each message.
    public static let clientMessageIDReused = Self(rawValue: "client_message_id_reused")

    /// 409. The caller has made another call with this `client_request_id` within the last 24 hours.
    ///
    /// Remedy: use another `client_request_id`.
    public static let clientRequestIDReused = Self(rawValue: "client_request_id_reused")

    /// 409. A key has this `secret_hash` already.
    ///
    /// Remedy: make another key, and send its hash; if you have sent this one before, list your keys.
    public static let secretHashTaken = Self(rawValue: "secret_hash_taken")

    /// 409. Another key format has this name. Formats never change.
    ///
    /// Remedy: choose another name, or delete that format first.
    public static let keyFormatExists = Self(rawValue: "key_format_exists")

    /// 413. The body has more than 1 MiB.
    ///
    /// Remedy: send a smaller one.
    public static let bodyTooLarge = Self(rawValue: "body_too_large")

    /// 415. The path does not accept the content type of the body.
    ///
    /// Remedy: send `Content-Type: application/json`.
    public static let unsupportedMediaType = Self(rawValue: "unsupported_media_type")

    /// 415. The body is compressed.
    ///
    /// Remedy: send it uncompressed.
    public static let unsupportedContentEncoding = Self(rawValue: "unsupported_content_encoding")

    /// 417. The value of the header `Expect` is unknown.
    ///
    /// Remedy: leave it out.
    public static let expectationFailed = Self(rawValue: "expectation_failed")

    /// 431. The headers have more than 16 KiB, or over HTTP/1.1 more than 128 fields.
    ///
    /// Remedy: send fewer and shorter ones.
    public static let headersTooLarge = Self(rawValue: "headers_too_large")

    /// 505. The call does not support the request's version of HTTP.
    ///
    /// Remedy: use HTTP/1.1 or HTTP/2; bidirectional streams need HTTP/2.
    public static let httpVersionNotSupported = Self(rawValue: "http_version_not_supported")

    /// 500. The service has a fault.
    ///
    /// Remedy: report it with its `X-Request-Id`.
    public static let `internal` = Self(rawValue: "internal")

    /// 503. The storage is unavailable. A write may or may not have taken effect.
    ///
    /// Remedy: retry after the seconds in `Retry-After`.
    public static let storageUnavailable = Self(rawValue: "storage_unavailable")

    /// 503. GitHub's keys, which verify the reports of its secret scanning, could not be fetched.
    ///
    /// Remedy: retry after the seconds in `Retry-After`.
    public static let scannerKeysUnavailable = Self(rawValue: "scanner_keys_unavailable")

    /// 504. The call exceeded its deadline. It may or may not have taken effect.
    ///
    /// Remedy: read before you repeat it, or allow it more time.
    public static let deadlinePassed = Self(rawValue: "deadline_passed")

    /// 429. Too many lists of the tenant wait for each other.
    ///
    /// Remedy: retry after the seconds in `Retry-After`, with fewer at once.
    public static let tooManyLists = Self(rawValue: "too_many_lists")

    /// 503. The service is overloaded. It rejected the request before it did any work for it.
    ///
    /// Remedy: retry after the seconds in `Retry-After`, with a random delay added.
    public static let overloaded = Self(rawValue: "overloaded")
}
