"""Generated from the protos by `npm run generate:python`. Do not edit."""

from latchkey import v1
from latchkey._call import AsyncCall, Call


class ApiKeyService:
    """ApiKeyService issues and manages the API keys of the caller's tenant.

    Callers: dashboard users. An API key cannot manage API keys. A key of another tenant is answered
    exactly like one that does not exist.

    Callers can give a key only what they may do: create, update, enable and rotate are denied with
    `insufficient_scope` unless the caller has every scope of the key as it would then be.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def create_api_key(self, request: v1.CreateApiKeyRequest) -> v1.CreateApiKeyResponse:
        """CreateApiKey makes a secret or a publishable key.

        The answer holds the key's full value, once; only its hash is stored. With `secret_hash` the
        caller makes the key, and the service never has it. With `client_request_id` the call can be
        repeated safely.
        """
        return self._call("/latchkey.v1.ApiKeyService/CreateApiKey", request, v1.CreateApiKeyResponse)

    def list_api_keys(self, request: v1.ListApiKeysRequest) -> v1.ListApiKeysResponse:
        """ListApiKeys lists the tenant's keys, all of them or those with what the request names;
        newest first, or by last use.
        """
        return self._call("/latchkey.v1.ApiKeyService/ListApiKeys", request, v1.ListApiKeysResponse)

    def get_api_key(self, request: v1.GetApiKeyRequest) -> v1.GetApiKeyResponse:
        """GetApiKey reads one key's record."""
        return self._call("/latchkey.v1.ApiKeyService/GetApiKey", request, v1.GetApiKeyResponse)

    def update_api_key(self, request: v1.UpdateApiKeyRequest) -> v1.UpdateApiKeyResponse:
        """UpdateApiKey changes the fields that `update_mask` names, and no other.

        It binds on every replica before the answer is sent. A revoked key cannot be updated.
        """
        return self._call("/latchkey.v1.ApiKeyService/UpdateApiKey", request, v1.UpdateApiKeyResponse)

    def revoke_api_key(self, request: v1.RevokeApiKeyRequest) -> v1.RevokeApiKeyResponse:
        """RevokeApiKey makes a key unusable at once, on every replica. It cannot be undone.

        Revoking again is harmless and returns the first `revoked_at`.
        """
        return self._call("/latchkey.v1.ApiKeyService/RevokeApiKey", request, v1.RevokeApiKeyResponse)

    def disable_api_key(self, request: v1.DisableApiKeyRequest) -> v1.DisableApiKeyResponse:
        """DisableApiKey switches a key off until it is enabled again. Disabling again is harmless."""
        return self._call("/latchkey.v1.ApiKeyService/DisableApiKey", request, v1.DisableApiKeyResponse)

    def enable_api_key(self, request: v1.EnableApiKeyRequest) -> v1.EnableApiKeyResponse:
        """EnableApiKey switches a disabled key on. Enabling an enabled key is harmless; a revoked key
        cannot be enabled.
        """
        return self._call("/latchkey.v1.ApiKeyService/EnableApiKey", request, v1.EnableApiKeyResponse)

    def get_api_key_usage(self, request: v1.GetApiKeyUsageRequest) -> v1.GetApiKeyUsageResponse:
        """GetApiKeyUsage reads how often a key was presented, and with what outcome; and when, if it
        is asked for a period.

        It includes every request whose response was sent before. With any of `from`, `to` and
        `step` the response has `series`.
        """
        return self._call("/latchkey.v1.ApiKeyService/GetApiKeyUsage", request, v1.GetApiKeyUsageResponse)

    def rotate_api_key(self, request: v1.RotateApiKeyRequest) -> v1.RotateApiKeyResponse:
        """RotateApiKey makes the successor of a secret key; both are valid during the grace period.

        The successor has the same name, description, permissions, limits, expiry, metadata,
        `external_id`, `allowed_ips` and `allow_browser`, and spends from the same budget. The old
        key then expires, at the end of the grace period or at its own `expires_at`, whichever is
        sooner. A key is rotated once: of many concurrent rotations exactly one succeeds. With
        `client_request_id` the call can be repeated safely.
        """
        return self._call("/latchkey.v1.ApiKeyService/RotateApiKey", request, v1.RotateApiKeyResponse)

    def import_api_keys(self, request: v1.ImportApiKeysRequest) -> v1.ImportApiKeysResponse:
        """ImportApiKeys takes over keys that another system has issued, so that their holders go on
        using them.

        Each row has an outcome of its own: a bad row refuses only itself. All is stored before the
        answer is sent; repeating a call changes nothing. Rows with `hash` are for key formats that
        list the caller's tenant: a digest does not prove that its sender has the key.
        """
        return self._call("/latchkey.v1.ApiKeyService/ImportApiKeys", request, v1.ImportApiKeysResponse)

    def check_oidc(self, request: v1.CheckOidcRequest) -> v1.CheckOidcResponse:
        """CheckOidc runs the checks of a publishable key's configuration, and of a user's token by it,
        and shows each of them.

        The checks are the same as for requests, in the same order; checks after a failed one run as
        far as possible. Nothing is created, spent or counted, and the token is not logged. The
        provider's key set is fetched, unless it was in the last 30 s.
        """
        return self._call("/latchkey.v1.ApiKeyService/CheckOidc", request, v1.CheckOidcResponse)


class AsyncApiKeyService:
    """ApiKeyService issues and manages the API keys of the caller's tenant.

    Callers: dashboard users. An API key cannot manage API keys. A key of another tenant is answered
    exactly like one that does not exist.

    Callers can give a key only what they may do: create, update, enable and rotate are denied with
    `insufficient_scope` unless the caller has every scope of the key as it would then be.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def create_api_key(self, request: v1.CreateApiKeyRequest) -> v1.CreateApiKeyResponse:
        """CreateApiKey makes a secret or a publishable key.

        The answer holds the key's full value, once; only its hash is stored. With `secret_hash` the
        caller makes the key, and the service never has it. With `client_request_id` the call can be
        repeated safely.
        """
        return await self._call("/latchkey.v1.ApiKeyService/CreateApiKey", request, v1.CreateApiKeyResponse)

    async def list_api_keys(self, request: v1.ListApiKeysRequest) -> v1.ListApiKeysResponse:
        """ListApiKeys lists the tenant's keys, all of them or those with what the request names;
        newest first, or by last use.
        """
        return await self._call("/latchkey.v1.ApiKeyService/ListApiKeys", request, v1.ListApiKeysResponse)

    async def get_api_key(self, request: v1.GetApiKeyRequest) -> v1.GetApiKeyResponse:
        """GetApiKey reads one key's record."""
        return await self._call("/latchkey.v1.ApiKeyService/GetApiKey", request, v1.GetApiKeyResponse)

    async def update_api_key(self, request: v1.UpdateApiKeyRequest) -> v1.UpdateApiKeyResponse:
        """UpdateApiKey changes the fields that `update_mask` names, and no other.

        It binds on every replica before the answer is sent. A revoked key cannot be updated.
        """
        return await self._call("/latchkey.v1.ApiKeyService/UpdateApiKey", request, v1.UpdateApiKeyResponse)

    async def revoke_api_key(self, request: v1.RevokeApiKeyRequest) -> v1.RevokeApiKeyResponse:
        """RevokeApiKey makes a key unusable at once, on every replica. It cannot be undone.

        Revoking again is harmless and returns the first `revoked_at`.
        """
        return await self._call("/latchkey.v1.ApiKeyService/RevokeApiKey", request, v1.RevokeApiKeyResponse)

    async def disable_api_key(self, request: v1.DisableApiKeyRequest) -> v1.DisableApiKeyResponse:
        """DisableApiKey switches a key off until it is enabled again. Disabling again is harmless."""
        return await self._call("/latchkey.v1.ApiKeyService/DisableApiKey", request, v1.DisableApiKeyResponse)

    async def enable_api_key(self, request: v1.EnableApiKeyRequest) -> v1.EnableApiKeyResponse:
        """EnableApiKey switches a disabled key on. Enabling an enabled key is harmless; a revoked key
        cannot be enabled.
        """
        return await self._call("/latchkey.v1.ApiKeyService/EnableApiKey", request, v1.EnableApiKeyResponse)

    async def get_api_key_usage(self, request: v1.GetApiKeyUsageRequest) -> v1.GetApiKeyUsageResponse:
        """GetApiKeyUsage reads how often a key was presented, and with what outcome; and when, if it
        is asked for a period.

        It includes every request whose response was sent before. With any of `from`, `to` and
        `step` the response has `series`.
        """
        return await self._call("/latchkey.v1.ApiKeyService/GetApiKeyUsage", request, v1.GetApiKeyUsageResponse)

    async def rotate_api_key(self, request: v1.RotateApiKeyRequest) -> v1.RotateApiKeyResponse:
        """RotateApiKey makes the successor of a secret key; both are valid during the grace period.

        The successor has the same name, description, permissions, limits, expiry, metadata,
        `external_id`, `allowed_ips` and `allow_browser`, and spends from the same budget. The old
        key then expires, at the end of the grace period or at its own `expires_at`, whichever is
        sooner. A key is rotated once: of many concurrent rotations exactly one succeeds. With
        `client_request_id` the call can be repeated safely.
        """
        return await self._call("/latchkey.v1.ApiKeyService/RotateApiKey", request, v1.RotateApiKeyResponse)

    async def import_api_keys(self, request: v1.ImportApiKeysRequest) -> v1.ImportApiKeysResponse:
        """ImportApiKeys takes over keys that another system has issued, so that their holders go on
        using them.

        Each row has an outcome of its own: a bad row refuses only itself. All is stored before the
        answer is sent; repeating a call changes nothing. Rows with `hash` are for key formats that
        list the caller's tenant: a digest does not prove that its sender has the key.
        """
        return await self._call("/latchkey.v1.ApiKeyService/ImportApiKeys", request, v1.ImportApiKeysResponse)

    async def check_oidc(self, request: v1.CheckOidcRequest) -> v1.CheckOidcResponse:
        """CheckOidc runs the checks of a publishable key's configuration, and of a user's token by it,
        and shows each of them.

        The checks are the same as for requests, in the same order; checks after a failed one run as
        far as possible. Nothing is created, spent or counted, and the token is not logged. The
        provider's key set is fetched, unless it was in the last 30 s.
        """
        return await self._call("/latchkey.v1.ApiKeyService/CheckOidc", request, v1.CheckOidcResponse)


class AuditService:
    """AuditService shows who did what to the caller's tenant, and when."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list_audit_events(self, request: v1.ListAuditEventsRequest) -> v1.ListAuditEventsResponse:
        """ListAuditEvents lists the events of the caller's tenant, newest first.

        There is an event for every call that changed a key, an organization, a member, an
        invitation, a webhook or the tenant's suspension, committed with the change itself, and for
        calls that were refused because their callers lacked the right to such a change. There is
        one for each hour in which a key acted for a user by `X-On-Behalf-Of`, a few minutes after
        the hour. Events are kept for as many days as the operator has set, 365 by default.
        """
        return self._call("/latchkey.v1.AuditService/ListAuditEvents", request, v1.ListAuditEventsResponse)


class AsyncAuditService:
    """AuditService shows who did what to the caller's tenant, and when."""

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def list_audit_events(self, request: v1.ListAuditEventsRequest) -> v1.ListAuditEventsResponse:
        """ListAuditEvents lists the events of the caller's tenant, newest first.

        There is an event for every call that changed a key, an organization, a member, an
        invitation, a webhook or the tenant's suspension, committed with the change itself, and for
        calls that were refused because their callers lacked the right to such a change. There is
        one for each hour in which a key acted for a user by `X-On-Behalf-Of`, a few minutes after
        the hour. Events are kept for as many days as the operator has set, 365 by default.
        """
        return await self._call("/latchkey.v1.AuditService/ListAuditEvents", request, v1.ListAuditEventsResponse)


class AuthService:
    """AuthService authenticates and authorizes callers for the platform's other services."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def verify(self, request: v1.VerifyRequest) -> v1.VerifyResponse:
        """Verify authenticates the credentials in the request's own headers and checks them against
        the scopes in its body.

        The answer is the caller, or the same denial that any other RPC would give. It spends one
        request of the key's limit, or `cost`, and counts once in its usage, like any call. Reverse
        proxies use `/auth/check` for the same.

        With `explain`, it returns to a dashboard user with `api_keys:read` how it would decide on a
        key of their tenant, and why. That spends nothing. It fetches the key set of a publishable
        key, unless that was fetched in the last 30 s.
        """
        return self._call("/latchkey.v1.AuthService/Verify", request, v1.VerifyResponse)


class AsyncAuthService:
    """AuthService authenticates and authorizes callers for the platform's other services."""

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def verify(self, request: v1.VerifyRequest) -> v1.VerifyResponse:
        """Verify authenticates the credentials in the request's own headers and checks them against
        the scopes in its body.

        The answer is the caller, or the same denial that any other RPC would give. It spends one
        request of the key's limit, or `cost`, and counts once in its usage, like any call. Reverse
        proxies use `/auth/check` for the same.

        With `explain`, it returns to a dashboard user with `api_keys:read` how it would decide on a
        key of their tenant, and why. That spends nothing. It fetches the key set of a publishable
        key, unless that was fetched in the last 30 s.
        """
        return await self._call("/latchkey.v1.AuthService/Verify", request, v1.VerifyResponse)


class FederationService:
    """FederationService says which workloads get tokens without any stored secret: a job of a CI
    system or a pod of a cluster sends the token that its own platform gives it to `POST
    /oauth/token`, and gets a short one of Latchkey's.

    Callers: dashboard users and secret keys with `api_keys:admin`. A rule of another tenant is
    answered exactly like one that does not exist.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def create_federation_rule(self, request: v1.CreateFederationRuleRequest) -> v1.CreateFederationRuleResponse:
        """CreateFederationRule adds a rule. A tenant has at most 100."""
        return self._call("/latchkey.v1.FederationService/CreateFederationRule", request, v1.CreateFederationRuleResponse)

    def list_federation_rules(self, request: v1.ListFederationRulesRequest) -> v1.ListFederationRulesResponse:
        """ListFederationRules lists all rules of the caller's tenant, the oldest first."""
        return self._call("/latchkey.v1.FederationService/ListFederationRules", request, v1.ListFederationRulesResponse)

    def get_federation_rule(self, request: v1.GetFederationRuleRequest) -> v1.GetFederationRuleResponse:
        """GetFederationRule reads one rule."""
        return self._call("/latchkey.v1.FederationService/GetFederationRule", request, v1.GetFederationRuleResponse)

    def update_federation_rule(self, request: v1.UpdateFederationRuleRequest) -> v1.UpdateFederationRuleResponse:
        """UpdateFederationRule changes the fields that `update_mask` names, and no other.

        Once the answer to a change of `status` to disabled is there, no replica accepts a token
        that was issued by the rule.
        """
        return self._call("/latchkey.v1.FederationService/UpdateFederationRule", request, v1.UpdateFederationRuleResponse)

    def delete_federation_rule(self, request: v1.DeleteFederationRuleRequest) -> v1.DeleteFederationRuleResponse:
        """DeleteFederationRule removes a rule. Once it is answered, no replica accepts a token that
        was issued by it. Deleting again is 404.
        """
        return self._call("/latchkey.v1.FederationService/DeleteFederationRule", request, v1.DeleteFederationRuleResponse)

    def check_federation_assertion(self, request: v1.CheckFederationAssertionRequest) -> v1.CheckFederationAssertionResponse:
        """CheckFederationAssertion shows step by step whether a workload's token would get one of
        Latchkey's by a rule, and why not.

        It issues nothing, and does not use the workload's token up.
        """
        return self._call("/latchkey.v1.FederationService/CheckFederationAssertion", request, v1.CheckFederationAssertionResponse)


class AsyncFederationService:
    """FederationService says which workloads get tokens without any stored secret: a job of a CI
    system or a pod of a cluster sends the token that its own platform gives it to `POST
    /oauth/token`, and gets a short one of Latchkey's.

    Callers: dashboard users and secret keys with `api_keys:admin`. A rule of another tenant is
    answered exactly like one that does not exist.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def create_federation_rule(self, request: v1.CreateFederationRuleRequest) -> v1.CreateFederationRuleResponse:
        """CreateFederationRule adds a rule. A tenant has at most 100."""
        return await self._call("/latchkey.v1.FederationService/CreateFederationRule", request, v1.CreateFederationRuleResponse)

    async def list_federation_rules(self, request: v1.ListFederationRulesRequest) -> v1.ListFederationRulesResponse:
        """ListFederationRules lists all rules of the caller's tenant, the oldest first."""
        return await self._call("/latchkey.v1.FederationService/ListFederationRules", request, v1.ListFederationRulesResponse)

    async def get_federation_rule(self, request: v1.GetFederationRuleRequest) -> v1.GetFederationRuleResponse:
        """GetFederationRule reads one rule."""
        return await self._call("/latchkey.v1.FederationService/GetFederationRule", request, v1.GetFederationRuleResponse)

    async def update_federation_rule(self, request: v1.UpdateFederationRuleRequest) -> v1.UpdateFederationRuleResponse:
        """UpdateFederationRule changes the fields that `update_mask` names, and no other.

        Once the answer to a change of `status` to disabled is there, no replica accepts a token
        that was issued by the rule.
        """
        return await self._call("/latchkey.v1.FederationService/UpdateFederationRule", request, v1.UpdateFederationRuleResponse)

    async def delete_federation_rule(self, request: v1.DeleteFederationRuleRequest) -> v1.DeleteFederationRuleResponse:
        """DeleteFederationRule removes a rule. Once it is answered, no replica accepts a token that
        was issued by it. Deleting again is 404.
        """
        return await self._call("/latchkey.v1.FederationService/DeleteFederationRule", request, v1.DeleteFederationRuleResponse)

    async def check_federation_assertion(self, request: v1.CheckFederationAssertionRequest) -> v1.CheckFederationAssertionResponse:
        """CheckFederationAssertion shows step by step whether a workload's token would get one of
        Latchkey's by a rule, and why not.

        It issues nothing, and does not use the workload's token up.
        """
        return await self._call("/latchkey.v1.FederationService/CheckFederationAssertion", request, v1.CheckFederationAssertionResponse)


class GatewayService:
    """GatewayService carries conversations with the assistant.

    A conversation belongs to a tenant and a user: the publishable key's user, the user a secret key
    acts for (`X-On-Behalf-Of`), or no user. Such a user sees only their own conversations; a secret
    key by itself and a dashboard user see the tenant's.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def list_threads(self, request: v1.ListThreadsRequest) -> v1.ListThreadsResponse:
        """ListThreads lists the conversations that the caller may see, latest first.

        Any JSON object is accepted and unknown members are ignored, within the bounds of every
        body: no duplicate members in an object, and at most 5,000 of the characters `{`, `[`, `:`
        and `,` outside of strings.
        """
        return self._call("/latchkey.v1.GatewayService/ListThreads", request, v1.ListThreadsResponse)

    def send_message(self, request: v1.SendMessageRequest) -> v1.SendMessageResponse:
        """SendMessage stores a user's message and answers at once; the reply is produced in the
        background.

        Poll GetConversationState for the reply. The conversation is created by its first message.
        With `client_message_id` the call can be repeated safely. While 5,000 messages of the
        conversation wait for a reply, another one is a failed precondition.
        """
        return self._call("/latchkey.v1.GatewayService/SendMessage", request, v1.SendMessageResponse)

    def get_conversation_state(self, request: v1.GetConversationStateRequest) -> v1.GetConversationStateResponse:
        """GetConversationState reads a conversation's latest messages and its latest run; earlier
        messages in pages.
        """
        return self._call("/latchkey.v1.GatewayService/GetConversationState", request, v1.GetConversationStateResponse)


class AsyncGatewayService:
    """GatewayService carries conversations with the assistant.

    A conversation belongs to a tenant and a user: the publishable key's user, the user a secret key
    acts for (`X-On-Behalf-Of`), or no user. Such a user sees only their own conversations; a secret
    key by itself and a dashboard user see the tenant's.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def list_threads(self, request: v1.ListThreadsRequest) -> v1.ListThreadsResponse:
        """ListThreads lists the conversations that the caller may see, latest first.

        Any JSON object is accepted and unknown members are ignored, within the bounds of every
        body: no duplicate members in an object, and at most 5,000 of the characters `{`, `[`, `:`
        and `,` outside of strings.
        """
        return await self._call("/latchkey.v1.GatewayService/ListThreads", request, v1.ListThreadsResponse)

    async def send_message(self, request: v1.SendMessageRequest) -> v1.SendMessageResponse:
        """SendMessage stores a user's message and answers at once; the reply is produced in the
        background.

        Poll GetConversationState for the reply. The conversation is created by its first message.
        With `client_message_id` the call can be repeated safely. While 5,000 messages of the
        conversation wait for a reply, another one is a failed precondition.
        """
        return await self._call("/latchkey.v1.GatewayService/SendMessage", request, v1.SendMessageResponse)

    async def get_conversation_state(self, request: v1.GetConversationStateRequest) -> v1.GetConversationStateResponse:
        """GetConversationState reads a conversation's latest messages and its latest run; earlier
        messages in pages.
        """
        return await self._call("/latchkey.v1.GatewayService/GetConversationState", request, v1.GetConversationStateResponse)


class KeyPolicyService:
    """KeyPolicyService has the rules of the caller's tenant for its own API keys.

    Callers: dashboard users. A rule binds every change of a key from then on, also those by the
    operator: create, rotate and enable are 400 `failed_precondition` for a key that goes beyond a
    rule, and so is update for a member that it changes. The message names the rule. Keys that go
    beyond keep working.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def get_key_policy(self, request: v1.GetKeyPolicyRequest) -> v1.GetKeyPolicyResponse:
        """GetKeyPolicy reads the rules. Without any that were set, it returns the defaults."""
        return self._call("/latchkey.v1.KeyPolicyService/GetKeyPolicy", request, v1.GetKeyPolicyResponse)

    def set_key_policy(self, request: v1.SetKeyPolicyRequest) -> v1.SetKeyPolicyResponse:
        """SetKeyPolicy replaces all rules. A rule that the request does not have is lifted.

        When it responds, no change of a key that began before and goes beyond a rule can still be
        committed.
        """
        return self._call("/latchkey.v1.KeyPolicyService/SetKeyPolicy", request, v1.SetKeyPolicyResponse)


class AsyncKeyPolicyService:
    """KeyPolicyService has the rules of the caller's tenant for its own API keys.

    Callers: dashboard users. A rule binds every change of a key from then on, also those by the
    operator: create, rotate and enable are 400 `failed_precondition` for a key that goes beyond a
    rule, and so is update for a member that it changes. The message names the rule. Keys that go
    beyond keep working.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def get_key_policy(self, request: v1.GetKeyPolicyRequest) -> v1.GetKeyPolicyResponse:
        """GetKeyPolicy reads the rules. Without any that were set, it returns the defaults."""
        return await self._call("/latchkey.v1.KeyPolicyService/GetKeyPolicy", request, v1.GetKeyPolicyResponse)

    async def set_key_policy(self, request: v1.SetKeyPolicyRequest) -> v1.SetKeyPolicyResponse:
        """SetKeyPolicy replaces all rules. A rule that the request does not have is lifted.

        When it responds, no change of a key that began before and goes beyond a rule can still be
        committed.
        """
        return await self._call("/latchkey.v1.KeyPolicyService/SetKeyPolicy", request, v1.SetKeyPolicyResponse)


class LeakService:
    """LeakService takes reports of keys that were found where anyone can read them."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def report_leaked_keys(self, request: v1.ReportLeakedKeysRequest) -> v1.ReportLeakedKeysResponse:
        """ReportLeakedKeys disables the secret keys among those that are reported, before it responds,
        on every replica.

        Callers: anyone. Credentials that are sent are not looked at: who knows a key may report it.
        The response is the same whatever was reported: keys in use, unknown or malformed ones,
        those that have ended, publishable keys. A publishable key is public by its purpose and
        stays as it is. A client's address may report 200 keys in a minute, and all clients of a
        replica 2,000; beyond that it is 429 with `Retry-After`.
        """
        return self._call("/latchkey.v1.LeakService/ReportLeakedKeys", request, v1.ReportLeakedKeysResponse)


class AsyncLeakService:
    """LeakService takes reports of keys that were found where anyone can read them."""

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def report_leaked_keys(self, request: v1.ReportLeakedKeysRequest) -> v1.ReportLeakedKeysResponse:
        """ReportLeakedKeys disables the secret keys among those that are reported, before it responds,
        on every replica.

        Callers: anyone. Credentials that are sent are not looked at: who knows a key may report it.
        The response is the same whatever was reported: keys in use, unknown or malformed ones,
        those that have ended, publishable keys. A publishable key is public by its purpose and
        stays as it is. A client's address may report 200 keys in a minute, and all clients of a
        replica 2,000; beyond that it is 429 with `Retry-After`.
        """
        return await self._call("/latchkey.v1.LeakService/ReportLeakedKeys", request, v1.ReportLeakedKeysResponse)


class OperatorService:
    """OperatorService is for those who run the service: keys and tenants of all customers.

    Callers: the operator's token, `Authorization: Bearer <OPERATOR_TOKEN>`, and dashboard users of
    the operator's own tenant with `system:*`. Every use of the token is logged.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def find_keys(self, request: v1.FindKeysRequest) -> v1.FindKeysResponse:
        """FindKeys finds keys of all tenants: by an identifier, by the beginning of a key, or by a
        whole key.
        """
        return self._call("/latchkey.v1.OperatorService/FindKeys", request, v1.FindKeysResponse)

    def create_tenant_key(self, request: v1.CreateTenantKeyRequest) -> v1.CreateTenantKeyResponse:
        """CreateTenantKey makes a key of any tenant, for example the first of a deployment. The tenant
        need not be known. One that was erased must be resumed first: 400 `failed_precondition`.

        The answer holds the key's full value, once; only its hash is stored. With
        `client_request_id` the call can be repeated safely.
        """
        return self._call("/latchkey.v1.OperatorService/CreateTenantKey", request, v1.CreateTenantKeyResponse)

    def list_tenant_keys(self, request: v1.ListTenantKeysRequest) -> v1.ListTenantKeysResponse:
        """ListTenantKeys lists the keys of one tenant, as ListApiKeys does for its users.

        The list of an unknown tenant is empty.
        """
        return self._call("/latchkey.v1.OperatorService/ListTenantKeys", request, v1.ListTenantKeysResponse)

    def get_tenant_key(self, request: v1.GetTenantKeyRequest) -> v1.GetTenantKeyResponse:
        """GetTenantKey reads one key's record, as GetApiKey does. A key of another tenant is 404."""
        return self._call("/latchkey.v1.OperatorService/GetTenantKey", request, v1.GetTenantKeyResponse)

    def update_tenant_key(self, request: v1.UpdateTenantKeyRequest) -> v1.UpdateTenantKeyResponse:
        """UpdateTenantKey changes the fields of a tenant's key that `update_mask` names, as
        UpdateApiKey does.

        It binds on every replica before the answer is sent. The tenant's rules for keys hold here,
        too.
        """
        return self._call("/latchkey.v1.OperatorService/UpdateTenantKey", request, v1.UpdateTenantKeyResponse)

    def rotate_tenant_key(self, request: v1.RotateTenantKeyRequest) -> v1.RotateTenantKeyResponse:
        """RotateTenantKey makes the successor of a tenant's secret key, as RotateApiKey does.

        The answer holds the successor's full value, once. With `client_request_id` the call can be
        repeated safely.
        """
        return self._call("/latchkey.v1.OperatorService/RotateTenantKey", request, v1.RotateTenantKeyResponse)

    def get_tenant_key_usage(self, request: v1.GetTenantKeyUsageRequest) -> v1.GetTenantKeyUsageResponse:
        """GetTenantKeyUsage reads how often a tenant's key was presented, and with what outcome, as
        GetApiKeyUsage does.
        """
        return self._call("/latchkey.v1.OperatorService/GetTenantKeyUsage", request, v1.GetTenantKeyUsageResponse)

    def disable_key(self, request: v1.DisableKeyRequest) -> v1.DisableKeyResponse:
        """DisableKey switches a key of any tenant off until it is enabled again. Disabling again is
        harmless.
        """
        return self._call("/latchkey.v1.OperatorService/DisableKey", request, v1.DisableKeyResponse)

    def enable_key(self, request: v1.EnableKeyRequest) -> v1.EnableKeyResponse:
        """EnableKey switches a disabled key of any tenant on. Enabling an enabled key is harmless; a
        revoked key cannot be enabled.
        """
        return self._call("/latchkey.v1.OperatorService/EnableKey", request, v1.EnableKeyResponse)

    def revoke_key(self, request: v1.RevokeKeyRequest) -> v1.RevokeKeyResponse:
        """RevokeKey makes a key of any tenant unusable at once, on every replica. It cannot be undone.

        Revoking again is harmless and returns the first `revoked_at`.
        """
        return self._call("/latchkey.v1.OperatorService/RevokeKey", request, v1.RevokeKeyResponse)

    def import_tenant_keys(self, request: v1.ImportTenantKeysRequest) -> v1.ImportTenantKeysResponse:
        """ImportTenantKeys takes over keys of any tenants that another system has issued, as
        ImportApiKeys does for one. Each row has `tenant_id`, and may have `hash` for every key
        format.
        """
        return self._call("/latchkey.v1.OperatorService/ImportTenantKeys", request, v1.ImportTenantKeysResponse)

    def export_keys(self, request: v1.ExportKeysRequest) -> v1.ExportKeysResponse:
        """ExportKeys reads the keys of all tenants with their hashes, so that another system, or
        another deployment, can take them over.

        The oldest come first, and keys of erased tenants are left out. Keys that are created
        meanwhile are on the last pages. Every call is in the audit trail.
        """
        return self._call("/latchkey.v1.OperatorService/ExportKeys", request, v1.ExportKeysResponse)

    def create_key_format(self, request: v1.CreateKeyFormatRequest) -> v1.CreateKeyFormatResponse:
        """CreateKeyFormat declares what the keys of another system look like. There are at most 32
        formats.

        It binds on every replica before the answer is sent. A format that shares a text with
        another one is 400 `failed_precondition`.
        """
        return self._call("/latchkey.v1.OperatorService/CreateKeyFormat", request, v1.CreateKeyFormatResponse)

    def list_key_formats(self, request: v1.ListKeyFormatsRequest) -> v1.ListKeyFormatsResponse:
        """ListKeyFormats lists all formats, the oldest first."""
        return self._call("/latchkey.v1.OperatorService/ListKeyFormats", request, v1.ListKeyFormatsResponse)

    def delete_key_format(self, request: v1.DeleteKeyFormatRequest) -> v1.DeleteKeyFormatResponse:
        """DeleteKeyFormat removes a format, on every replica before the answer is sent. Deleting again
        is 404.

        While a key of the format is neither expired nor revoked, it is 400 `failed_precondition`.
        """
        return self._call("/latchkey.v1.OperatorService/DeleteKeyFormat", request, v1.DeleteKeyFormatResponse)

    def list_tenants(self, request: v1.ListTenantsRequest) -> v1.ListTenantsResponse:
        """ListTenants lists all tenants that have an organization, a key or a suspension, in the order
        of their identifiers.

        A tenant that occurs only in users' tokens is not listed.
        """
        return self._call("/latchkey.v1.OperatorService/ListTenants", request, v1.ListTenantsResponse)

    def get_tenant(self, request: v1.GetTenantRequest) -> v1.GetTenantResponse:
        """GetTenant reads a tenant that has an organization, a key or a suspension.

        Any other tenant is 404. A tenant needs no creation: it begins with its first key or
        organization.
        """
        return self._call("/latchkey.v1.OperatorService/GetTenant", request, v1.GetTenantResponse)

    def suspend_tenant(self, request: v1.SuspendTenantRequest) -> v1.SuspendTenantResponse:
        """SuspendTenant refuses all requests of a tenant until it is resumed, on every replica, before
        the answer is sent.

        Its keys are denied with `api_key_disabled`, its dashboard users with `tenant_suspended`.
        Suspending again is harmless and changes nothing. The tenant need not be known. The
        operator's own tenant cannot be suspended.
        """
        return self._call("/latchkey.v1.OperatorService/SuspendTenant", request, v1.SuspendTenantResponse)

    def resume_tenant(self, request: v1.ResumeTenantRequest) -> v1.ResumeTenantResponse:
        """ResumeTenant ends the suspension of a tenant. Resuming a tenant that is not suspended is
        harmless.
        """
        return self._call("/latchkey.v1.OperatorService/ResumeTenant", request, v1.ResumeTenantResponse)

    def erase_user(self, request: v1.EraseUserRequest) -> v1.EraseUserResponse:
        """EraseUser removes what is stored of a user of one tenant: conversations, membership and
        email address.

        The response comes when all is removed, or after 10 s with `finished: false`; the rest is
        then removed in the background, also after a restart. Calling again continues the same
        erasure, and returns how far it is. One event of the audit trail says how much was removed.
        The last owner of an organization cannot be erased: 400 `failed_precondition`.
        """
        return self._call("/latchkey.v1.OperatorService/EraseUser", request, v1.EraseUserResponse)

    def erase_tenant(self, request: v1.EraseTenantRequest) -> v1.EraseTenantResponse:
        """EraseTenant suspends a tenant, revokes its keys, and removes all that is stored of it but
        what keeps its keys denied.

        It returns as EraseUser does. The tenant stays suspended, and cannot be resumed before the
        erasure is finished. Of each key the hash, its first characters, identifiers and dates stay,
        so that it is denied as before. The operator's own tenant cannot be erased. A tenant of
        which nothing is stored is 404, and is not suspended.
        """
        return self._call("/latchkey.v1.OperatorService/EraseTenant", request, v1.EraseTenantResponse)

    def list_tenants_events(self, request: v1.ListTenantsEventsRequest) -> v1.ListTenantsEventsResponse:
        """ListTenantsEvents lists the audit events of one tenant, or of all tenants and of calls
        without one, newest first.
        """
        return self._call("/latchkey.v1.OperatorService/ListTenantsEvents", request, v1.ListTenantsEventsResponse)

    def explain_any_request(self, request: v1.ExplainAnyRequestRequest) -> v1.ExplainAnyRequestResponse:
        """ExplainAnyRequest says which check denied a request of any tenant, and what to do.

        It also knows the last 1,000 denied requests that name no known key and no tenant, such as
        those with a mistyped key; at most 20 a second are kept by each process. Requests of tenants
        are kept as RequestService says.
        """
        return self._call("/latchkey.v1.OperatorService/ExplainAnyRequest", request, v1.ExplainAnyRequestResponse)


class AsyncOperatorService:
    """OperatorService is for those who run the service: keys and tenants of all customers.

    Callers: the operator's token, `Authorization: Bearer <OPERATOR_TOKEN>`, and dashboard users of
    the operator's own tenant with `system:*`. Every use of the token is logged.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def find_keys(self, request: v1.FindKeysRequest) -> v1.FindKeysResponse:
        """FindKeys finds keys of all tenants: by an identifier, by the beginning of a key, or by a
        whole key.
        """
        return await self._call("/latchkey.v1.OperatorService/FindKeys", request, v1.FindKeysResponse)

    async def create_tenant_key(self, request: v1.CreateTenantKeyRequest) -> v1.CreateTenantKeyResponse:
        """CreateTenantKey makes a key of any tenant, for example the first of a deployment. The tenant
        need not be known. One that was erased must be resumed first: 400 `failed_precondition`.

        The answer holds the key's full value, once; only its hash is stored. With
        `client_request_id` the call can be repeated safely.
        """
        return await self._call("/latchkey.v1.OperatorService/CreateTenantKey", request, v1.CreateTenantKeyResponse)

    async def list_tenant_keys(self, request: v1.ListTenantKeysRequest) -> v1.ListTenantKeysResponse:
        """ListTenantKeys lists the keys of one tenant, as ListApiKeys does for its users.

        The list of an unknown tenant is empty.
        """
        return await self._call("/latchkey.v1.OperatorService/ListTenantKeys", request, v1.ListTenantKeysResponse)

    async def get_tenant_key(self, request: v1.GetTenantKeyRequest) -> v1.GetTenantKeyResponse:
        """GetTenantKey reads one key's record, as GetApiKey does. A key of another tenant is 404."""
        return await self._call("/latchkey.v1.OperatorService/GetTenantKey", request, v1.GetTenantKeyResponse)

    async def update_tenant_key(self, request: v1.UpdateTenantKeyRequest) -> v1.UpdateTenantKeyResponse:
        """UpdateTenantKey changes the fields of a tenant's key that `update_mask` names, as
        UpdateApiKey does.

        It binds on every replica before the answer is sent. The tenant's rules for keys hold here,
        too.
        """
        return await self._call("/latchkey.v1.OperatorService/UpdateTenantKey", request, v1.UpdateTenantKeyResponse)

    async def rotate_tenant_key(self, request: v1.RotateTenantKeyRequest) -> v1.RotateTenantKeyResponse:
        """RotateTenantKey makes the successor of a tenant's secret key, as RotateApiKey does.

        The answer holds the successor's full value, once. With `client_request_id` the call can be
        repeated safely.
        """
        return await self._call("/latchkey.v1.OperatorService/RotateTenantKey", request, v1.RotateTenantKeyResponse)

    async def get_tenant_key_usage(self, request: v1.GetTenantKeyUsageRequest) -> v1.GetTenantKeyUsageResponse:
        """GetTenantKeyUsage reads how often a tenant's key was presented, and with what outcome, as
        GetApiKeyUsage does.
        """
        return await self._call("/latchkey.v1.OperatorService/GetTenantKeyUsage", request, v1.GetTenantKeyUsageResponse)

    async def disable_key(self, request: v1.DisableKeyRequest) -> v1.DisableKeyResponse:
        """DisableKey switches a key of any tenant off until it is enabled again. Disabling again is
        harmless.
        """
        return await self._call("/latchkey.v1.OperatorService/DisableKey", request, v1.DisableKeyResponse)

    async def enable_key(self, request: v1.EnableKeyRequest) -> v1.EnableKeyResponse:
        """EnableKey switches a disabled key of any tenant on. Enabling an enabled key is harmless; a
        revoked key cannot be enabled.
        """
        return await self._call("/latchkey.v1.OperatorService/EnableKey", request, v1.EnableKeyResponse)

    async def revoke_key(self, request: v1.RevokeKeyRequest) -> v1.RevokeKeyResponse:
        """RevokeKey makes a key of any tenant unusable at once, on every replica. It cannot be undone.

        Revoking again is harmless and returns the first `revoked_at`.
        """
        return await self._call("/latchkey.v1.OperatorService/RevokeKey", request, v1.RevokeKeyResponse)

    async def import_tenant_keys(self, request: v1.ImportTenantKeysRequest) -> v1.ImportTenantKeysResponse:
        """ImportTenantKeys takes over keys of any tenants that another system has issued, as
        ImportApiKeys does for one. Each row has `tenant_id`, and may have `hash` for every key
        format.
        """
        return await self._call("/latchkey.v1.OperatorService/ImportTenantKeys", request, v1.ImportTenantKeysResponse)

    async def export_keys(self, request: v1.ExportKeysRequest) -> v1.ExportKeysResponse:
        """ExportKeys reads the keys of all tenants with their hashes, so that another system, or
        another deployment, can take them over.

        The oldest come first, and keys of erased tenants are left out. Keys that are created
        meanwhile are on the last pages. Every call is in the audit trail.
        """
        return await self._call("/latchkey.v1.OperatorService/ExportKeys", request, v1.ExportKeysResponse)

    async def create_key_format(self, request: v1.CreateKeyFormatRequest) -> v1.CreateKeyFormatResponse:
        """CreateKeyFormat declares what the keys of another system look like. There are at most 32
        formats.

        It binds on every replica before the answer is sent. A format that shares a text with
        another one is 400 `failed_precondition`.
        """
        return await self._call("/latchkey.v1.OperatorService/CreateKeyFormat", request, v1.CreateKeyFormatResponse)

    async def list_key_formats(self, request: v1.ListKeyFormatsRequest) -> v1.ListKeyFormatsResponse:
        """ListKeyFormats lists all formats, the oldest first."""
        return await self._call("/latchkey.v1.OperatorService/ListKeyFormats", request, v1.ListKeyFormatsResponse)

    async def delete_key_format(self, request: v1.DeleteKeyFormatRequest) -> v1.DeleteKeyFormatResponse:
        """DeleteKeyFormat removes a format, on every replica before the answer is sent. Deleting again
        is 404.

        While a key of the format is neither expired nor revoked, it is 400 `failed_precondition`.
        """
        return await self._call("/latchkey.v1.OperatorService/DeleteKeyFormat", request, v1.DeleteKeyFormatResponse)

    async def list_tenants(self, request: v1.ListTenantsRequest) -> v1.ListTenantsResponse:
        """ListTenants lists all tenants that have an organization, a key or a suspension, in the order
        of their identifiers.

        A tenant that occurs only in users' tokens is not listed.
        """
        return await self._call("/latchkey.v1.OperatorService/ListTenants", request, v1.ListTenantsResponse)

    async def get_tenant(self, request: v1.GetTenantRequest) -> v1.GetTenantResponse:
        """GetTenant reads a tenant that has an organization, a key or a suspension.

        Any other tenant is 404. A tenant needs no creation: it begins with its first key or
        organization.
        """
        return await self._call("/latchkey.v1.OperatorService/GetTenant", request, v1.GetTenantResponse)

    async def suspend_tenant(self, request: v1.SuspendTenantRequest) -> v1.SuspendTenantResponse:
        """SuspendTenant refuses all requests of a tenant until it is resumed, on every replica, before
        the answer is sent.

        Its keys are denied with `api_key_disabled`, its dashboard users with `tenant_suspended`.
        Suspending again is harmless and changes nothing. The tenant need not be known. The
        operator's own tenant cannot be suspended.
        """
        return await self._call("/latchkey.v1.OperatorService/SuspendTenant", request, v1.SuspendTenantResponse)

    async def resume_tenant(self, request: v1.ResumeTenantRequest) -> v1.ResumeTenantResponse:
        """ResumeTenant ends the suspension of a tenant. Resuming a tenant that is not suspended is
        harmless.
        """
        return await self._call("/latchkey.v1.OperatorService/ResumeTenant", request, v1.ResumeTenantResponse)

    async def erase_user(self, request: v1.EraseUserRequest) -> v1.EraseUserResponse:
        """EraseUser removes what is stored of a user of one tenant: conversations, membership and
        email address.

        The response comes when all is removed, or after 10 s with `finished: false`; the rest is
        then removed in the background, also after a restart. Calling again continues the same
        erasure, and returns how far it is. One event of the audit trail says how much was removed.
        The last owner of an organization cannot be erased: 400 `failed_precondition`.
        """
        return await self._call("/latchkey.v1.OperatorService/EraseUser", request, v1.EraseUserResponse)

    async def erase_tenant(self, request: v1.EraseTenantRequest) -> v1.EraseTenantResponse:
        """EraseTenant suspends a tenant, revokes its keys, and removes all that is stored of it but
        what keeps its keys denied.

        It returns as EraseUser does. The tenant stays suspended, and cannot be resumed before the
        erasure is finished. Of each key the hash, its first characters, identifiers and dates stay,
        so that it is denied as before. The operator's own tenant cannot be erased. A tenant of
        which nothing is stored is 404, and is not suspended.
        """
        return await self._call("/latchkey.v1.OperatorService/EraseTenant", request, v1.EraseTenantResponse)

    async def list_tenants_events(self, request: v1.ListTenantsEventsRequest) -> v1.ListTenantsEventsResponse:
        """ListTenantsEvents lists the audit events of one tenant, or of all tenants and of calls
        without one, newest first.
        """
        return await self._call("/latchkey.v1.OperatorService/ListTenantsEvents", request, v1.ListTenantsEventsResponse)

    async def explain_any_request(self, request: v1.ExplainAnyRequestRequest) -> v1.ExplainAnyRequestResponse:
        """ExplainAnyRequest says which check denied a request of any tenant, and what to do.

        It also knows the last 1,000 denied requests that name no known key and no tenant, such as
        those with a mistyped key; at most 20 a second are kept by each process. Requests of tenants
        are kept as RequestService says.
        """
        return await self._call("/latchkey.v1.OperatorService/ExplainAnyRequest", request, v1.ExplainAnyRequestResponse)


class OrgService:
    """OrgService manages organizations, their members and invitations to them.

    A member is a user, by issuer and identifier, with a role. The organization of a call is the one
    that owns the caller's tenant; list, switch and the acceptance of an invitation need no tenant.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def create_org(self, request: v1.CreateOrgRequest) -> v1.CreateOrgResponse:
        """CreateOrg creates an organization with a tenant of its own and records the caller as its
        owner.

        Callers: dashboard users, also those whose token names no tenant yet. Where the identity
        provider's own organizations are the tenants, it is a failed precondition. The new
        organization becomes the caller's current one. With `client_org_id` the call can be repeated
        safely.
        """
        return self._call("/latchkey.v1.OrgService/CreateOrg", request, v1.CreateOrgResponse)

    def list_orgs(self, request: v1.ListOrgsRequest) -> v1.ListOrgsResponse:
        """ListOrgs lists the organizations that the caller is a member of, in the order of their
        names.
        """
        return self._call("/latchkey.v1.OrgService/ListOrgs", request, v1.ListOrgsResponse)

    def get_org(self, request: v1.GetOrgRequest) -> v1.GetOrgResponse:
        """GetOrg reads the organization of the caller's tenant."""
        return self._call("/latchkey.v1.OrgService/GetOrg", request, v1.GetOrgResponse)

    def update_org(self, request: v1.UpdateOrgRequest) -> v1.UpdateOrgResponse:
        """UpdateOrg renames the organization of the caller's tenant."""
        return self._call("/latchkey.v1.OrgService/UpdateOrg", request, v1.UpdateOrgResponse)

    def switch_org(self, request: v1.SwitchOrgRequest) -> v1.SwitchOrgResponse:
        """SwitchOrg makes one of the caller's organizations the current one: the next token has its
        tenant.
        """
        return self._call("/latchkey.v1.OrgService/SwitchOrg", request, v1.SwitchOrgResponse)

    def list_members(self, request: v1.ListMembersRequest) -> v1.ListMembersResponse:
        """ListMembers lists the members of the caller's organization, the oldest first."""
        return self._call("/latchkey.v1.OrgService/ListMembers", request, v1.ListMembersResponse)

    def set_member_role(self, request: v1.SetMemberRoleRequest) -> v1.SetMemberRoleResponse:
        """SetMemberRole changes a member's role. The last owner keeps theirs: make another member
        owner first.

        Callers cannot give a role with scopes that they do not have. Where the roles of users are
        in their tokens, the new one binds with the member's next token, as `warning` then says.
        """
        return self._call("/latchkey.v1.OrgService/SetMemberRole", request, v1.SetMemberRoleResponse)

    def remove_member(self, request: v1.RemoveMemberRequest) -> v1.RemoveMemberResponse:
        """RemoveMember removes a member, who is refused on every replica before the answer is sent,
        whatever their token says.

        The invitations that they have made end with their membership. The last owner cannot be
        removed: make another member owner first.
        """
        return self._call("/latchkey.v1.OrgService/RemoveMember", request, v1.RemoveMemberResponse)

    def create_invitation(self, request: v1.CreateInvitationRequest) -> v1.CreateInvitationResponse:
        """CreateInvitation invites a user by email address, for 7 days.

        The response holds the invitation's token, once; only its hash is stored. Callers cannot
        invite to a role with scopes that they do not have. The invitation ends with the caller's
        membership, and when their role no longer grants its role.
        """
        return self._call("/latchkey.v1.OrgService/CreateInvitation", request, v1.CreateInvitationResponse)

    def list_invitations(self, request: v1.ListInvitationsRequest) -> v1.ListInvitationsResponse:
        """ListInvitations lists the invitations of the caller's organization of every status, newest
        first.
        """
        return self._call("/latchkey.v1.OrgService/ListInvitations", request, v1.ListInvitationsResponse)

    def revoke_invitation(self, request: v1.RevokeInvitationRequest) -> v1.RevokeInvitationResponse:
        """RevokeInvitation ends an invitation. Revoking again is harmless; an accepted one cannot be
        revoked.
        """
        return self._call("/latchkey.v1.OrgService/RevokeInvitation", request, v1.RevokeInvitationResponse)

    def preview_invitation(self, request: v1.PreviewInvitationRequest) -> v1.PreviewInvitationResponse:
        """PreviewInvitation says to what an invitation invites, by whom and as what, so that it can be
        read before it is accepted.

        It returns the same errors as AcceptInvitation. In particular, a user whose token has
        another email address learns nothing of the invitation.
        """
        return self._call("/latchkey.v1.OrgService/PreviewInvitation", request, v1.PreviewInvitationResponse)

    def accept_invitation(self, request: v1.AcceptInvitationRequest) -> v1.AcceptInvitationResponse:
        """AcceptInvitation makes the caller a member, and the organization their current one. It can
        be done once.

        The caller's token must have the email address of the invitation in `email`, and
        `email_verified` true. Addresses are compared byte by byte, except that the case of the
        letters A to Z is ignored. A user who was removed before may call with a token that still
        names the tenant.
        """
        return self._call("/latchkey.v1.OrgService/AcceptInvitation", request, v1.AcceptInvitationResponse)


class AsyncOrgService:
    """OrgService manages organizations, their members and invitations to them.

    A member is a user, by issuer and identifier, with a role. The organization of a call is the one
    that owns the caller's tenant; list, switch and the acceptance of an invitation need no tenant.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def create_org(self, request: v1.CreateOrgRequest) -> v1.CreateOrgResponse:
        """CreateOrg creates an organization with a tenant of its own and records the caller as its
        owner.

        Callers: dashboard users, also those whose token names no tenant yet. Where the identity
        provider's own organizations are the tenants, it is a failed precondition. The new
        organization becomes the caller's current one. With `client_org_id` the call can be repeated
        safely.
        """
        return await self._call("/latchkey.v1.OrgService/CreateOrg", request, v1.CreateOrgResponse)

    async def list_orgs(self, request: v1.ListOrgsRequest) -> v1.ListOrgsResponse:
        """ListOrgs lists the organizations that the caller is a member of, in the order of their
        names.
        """
        return await self._call("/latchkey.v1.OrgService/ListOrgs", request, v1.ListOrgsResponse)

    async def get_org(self, request: v1.GetOrgRequest) -> v1.GetOrgResponse:
        """GetOrg reads the organization of the caller's tenant."""
        return await self._call("/latchkey.v1.OrgService/GetOrg", request, v1.GetOrgResponse)

    async def update_org(self, request: v1.UpdateOrgRequest) -> v1.UpdateOrgResponse:
        """UpdateOrg renames the organization of the caller's tenant."""
        return await self._call("/latchkey.v1.OrgService/UpdateOrg", request, v1.UpdateOrgResponse)

    async def switch_org(self, request: v1.SwitchOrgRequest) -> v1.SwitchOrgResponse:
        """SwitchOrg makes one of the caller's organizations the current one: the next token has its
        tenant.
        """
        return await self._call("/latchkey.v1.OrgService/SwitchOrg", request, v1.SwitchOrgResponse)

    async def list_members(self, request: v1.ListMembersRequest) -> v1.ListMembersResponse:
        """ListMembers lists the members of the caller's organization, the oldest first."""
        return await self._call("/latchkey.v1.OrgService/ListMembers", request, v1.ListMembersResponse)

    async def set_member_role(self, request: v1.SetMemberRoleRequest) -> v1.SetMemberRoleResponse:
        """SetMemberRole changes a member's role. The last owner keeps theirs: make another member
        owner first.

        Callers cannot give a role with scopes that they do not have. Where the roles of users are
        in their tokens, the new one binds with the member's next token, as `warning` then says.
        """
        return await self._call("/latchkey.v1.OrgService/SetMemberRole", request, v1.SetMemberRoleResponse)

    async def remove_member(self, request: v1.RemoveMemberRequest) -> v1.RemoveMemberResponse:
        """RemoveMember removes a member, who is refused on every replica before the answer is sent,
        whatever their token says.

        The invitations that they have made end with their membership. The last owner cannot be
        removed: make another member owner first.
        """
        return await self._call("/latchkey.v1.OrgService/RemoveMember", request, v1.RemoveMemberResponse)

    async def create_invitation(self, request: v1.CreateInvitationRequest) -> v1.CreateInvitationResponse:
        """CreateInvitation invites a user by email address, for 7 days.

        The response holds the invitation's token, once; only its hash is stored. Callers cannot
        invite to a role with scopes that they do not have. The invitation ends with the caller's
        membership, and when their role no longer grants its role.
        """
        return await self._call("/latchkey.v1.OrgService/CreateInvitation", request, v1.CreateInvitationResponse)

    async def list_invitations(self, request: v1.ListInvitationsRequest) -> v1.ListInvitationsResponse:
        """ListInvitations lists the invitations of the caller's organization of every status, newest
        first.
        """
        return await self._call("/latchkey.v1.OrgService/ListInvitations", request, v1.ListInvitationsResponse)

    async def revoke_invitation(self, request: v1.RevokeInvitationRequest) -> v1.RevokeInvitationResponse:
        """RevokeInvitation ends an invitation. Revoking again is harmless; an accepted one cannot be
        revoked.
        """
        return await self._call("/latchkey.v1.OrgService/RevokeInvitation", request, v1.RevokeInvitationResponse)

    async def preview_invitation(self, request: v1.PreviewInvitationRequest) -> v1.PreviewInvitationResponse:
        """PreviewInvitation says to what an invitation invites, by whom and as what, so that it can be
        read before it is accepted.

        It returns the same errors as AcceptInvitation. In particular, a user whose token has
        another email address learns nothing of the invitation.
        """
        return await self._call("/latchkey.v1.OrgService/PreviewInvitation", request, v1.PreviewInvitationResponse)

    async def accept_invitation(self, request: v1.AcceptInvitationRequest) -> v1.AcceptInvitationResponse:
        """AcceptInvitation makes the caller a member, and the organization their current one. It can
        be done once.

        The caller's token must have the email address of the invitation in `email`, and
        `email_verified` true. Addresses are compared byte by byte, except that the case of the
        letters A to Z is ignored. A user who was removed before may call with a token that still
        names the tenant.
        """
        return await self._call("/latchkey.v1.OrgService/AcceptInvitation", request, v1.AcceptInvitationResponse)


class RequestService:
    """RequestService shows recent requests to the caller's tenant: who was denied, why, and what to
    do.

    It has the last 100 requests of each key that were denied or failed, the last 100 of its users
    without a key, and of those that each key made with success a sample: at most one a minute on
    each process, the last 100. They are kept for `REQUEST_LOG_DAYS`, 7 by default. Each process
    stores them once a second, and keeps 20 of each key at a time: of more denials within a second,
    some may be absent. Use ListAuditEvents for what must be complete.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def list_requests(self, request: v1.ListRequestsRequest) -> v1.ListRequestsResponse:
        """ListRequests lists the recent requests of the caller's tenant, newest first."""
        return self._call("/latchkey.v1.RequestService/ListRequests", request, v1.ListRequestsResponse)

    def explain_request(self, request: v1.ExplainRequestRequest) -> v1.ExplainRequestResponse:
        """ExplainRequest says which check denied a request, and what to do.

        A request of another tenant is 404, as one that never was.
        """
        return self._call("/latchkey.v1.RequestService/ExplainRequest", request, v1.ExplainRequestResponse)


class AsyncRequestService:
    """RequestService shows recent requests to the caller's tenant: who was denied, why, and what to
    do.

    It has the last 100 requests of each key that were denied or failed, the last 100 of its users
    without a key, and of those that each key made with success a sample: at most one a minute on
    each process, the last 100. They are kept for `REQUEST_LOG_DAYS`, 7 by default. Each process
    stores them once a second, and keeps 20 of each key at a time: of more denials within a second,
    some may be absent. Use ListAuditEvents for what must be complete.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def list_requests(self, request: v1.ListRequestsRequest) -> v1.ListRequestsResponse:
        """ListRequests lists the recent requests of the caller's tenant, newest first."""
        return await self._call("/latchkey.v1.RequestService/ListRequests", request, v1.ListRequestsResponse)

    async def explain_request(self, request: v1.ExplainRequestRequest) -> v1.ExplainRequestResponse:
        """ExplainRequest says which check denied a request, and what to do.

        A request of another tenant is 404, as one that never was.
        """
        return await self._call("/latchkey.v1.RequestService/ExplainRequest", request, v1.ExplainRequestResponse)


class ScopeService:
    """ScopeService says which scopes there are."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def list_scopes(self, request: v1.ListScopesRequest) -> v1.ListScopesResponse:
        """ListScopes lists every scope that can be asked for: the built-in ones, then the platform's
        own.

        Callers: all. It needs no scope and no tenant.
        """
        return self._call("/latchkey.v1.ScopeService/ListScopes", request, v1.ListScopesResponse)


class AsyncScopeService:
    """ScopeService says which scopes there are."""

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def list_scopes(self, request: v1.ListScopesRequest) -> v1.ListScopesResponse:
        """ListScopes lists every scope that can be asked for: the built-in ones, then the platform's
        own.

        Callers: all. It needs no scope and no tenant.
        """
        return await self._call("/latchkey.v1.ScopeService/ListScopes", request, v1.ListScopesResponse)


class TokenService:
    """TokenService derives tokens from secret keys: for a job, an agent or a page, with less than the
    key, for minutes.

    A token is sent as `Authorization: Bearer <token>` without `X-API-Key`. It may do what both its
    scopes and its key allow at each request, and spends from its key's limit; whatever denies the
    key denies the token. Its signature can be checked with `/.well-known/jwks.json`, but the
    signature does not show whether the token or its key was revoked: Verify does.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def derive_token(self, request: v1.DeriveTokenRequest) -> v1.DeriveTokenResponse:
        """DeriveToken issues an access token for the calling key. A token cannot derive another one."""
        return self._call("/latchkey.v1.TokenService/DeriveToken", request, v1.DeriveTokenResponse)

    def list_tokens(self, request: v1.ListTokensRequest) -> v1.ListTokensResponse:
        """ListTokens lists the tokens that have not expired, the newest first: those of the calling
        key, or for a dashboard user all of their tenant. A call with a token returns only that
        token.
        """
        return self._call("/latchkey.v1.TokenService/ListTokens", request, v1.ListTokensResponse)

    def revoke_token(self, request: v1.RevokeTokenRequest) -> v1.RevokeTokenResponse:
        """RevokeToken revokes a token: of the calling key, or for a dashboard user any of their
        tenant. A call with a token can revoke only that token. It cannot be undone.

        Once it is answered, no replica accepts the token. Revoking again changes nothing. An
        expired token is 404 once its record was removed, a day after its end.
        """
        return self._call("/latchkey.v1.TokenService/RevokeToken", request, v1.RevokeTokenResponse)


class AsyncTokenService:
    """TokenService derives tokens from secret keys: for a job, an agent or a page, with less than the
    key, for minutes.

    A token is sent as `Authorization: Bearer <token>` without `X-API-Key`. It may do what both its
    scopes and its key allow at each request, and spends from its key's limit; whatever denies the
    key denies the token. Its signature can be checked with `/.well-known/jwks.json`, but the
    signature does not show whether the token or its key was revoked: Verify does.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def derive_token(self, request: v1.DeriveTokenRequest) -> v1.DeriveTokenResponse:
        """DeriveToken issues an access token for the calling key. A token cannot derive another one."""
        return await self._call("/latchkey.v1.TokenService/DeriveToken", request, v1.DeriveTokenResponse)

    async def list_tokens(self, request: v1.ListTokensRequest) -> v1.ListTokensResponse:
        """ListTokens lists the tokens that have not expired, the newest first: those of the calling
        key, or for a dashboard user all of their tenant. A call with a token returns only that
        token.
        """
        return await self._call("/latchkey.v1.TokenService/ListTokens", request, v1.ListTokensResponse)

    async def revoke_token(self, request: v1.RevokeTokenRequest) -> v1.RevokeTokenResponse:
        """RevokeToken revokes a token: of the calling key, or for a dashboard user any of their
        tenant. A call with a token can revoke only that token. It cannot be undone.

        Once it is answered, no replica accepts the token. Revoking again changes nothing. An
        expired token is 404 once its record was removed, a day after its end.
        """
        return await self._call("/latchkey.v1.TokenService/RevokeToken", request, v1.RevokeTokenResponse)


class UsageService:
    """UsageService shows how the keys of the caller's tenant are used, and when.

    Callers: dashboard users and secret keys with `usage:read`, as those of RequestService. Replicas
    store what they count once a second, and responses have what is stored: they lack the last
    second, or some seconds with more than 2,000 keys in use. GetApiKeyUsage lacks nothing. Uses are
    kept for `USAGE_DAYS`, 90 by default.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def get_usage(self, request: v1.GetUsageRequest) -> v1.GetUsageResponse:
        """GetUsage reads the uses of all keys of the tenant in a period."""
        return self._call("/latchkey.v1.UsageService/GetUsage", request, v1.GetUsageResponse)

    def list_top_keys(self, request: v1.ListTopKeysRequest) -> v1.ListTopKeysResponse:
        """ListTopKeys lists the keys of the tenant that were used most in a period, whatever their
        status.
        """
        return self._call("/latchkey.v1.UsageService/ListTopKeys", request, v1.ListTopKeysResponse)


class AsyncUsageService:
    """UsageService shows how the keys of the caller's tenant are used, and when.

    Callers: dashboard users and secret keys with `usage:read`, as those of RequestService. Replicas
    store what they count once a second, and responses have what is stored: they lack the last
    second, or some seconds with more than 2,000 keys in use. GetApiKeyUsage lacks nothing. Uses are
    kept for `USAGE_DAYS`, 90 by default.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def get_usage(self, request: v1.GetUsageRequest) -> v1.GetUsageResponse:
        """GetUsage reads the uses of all keys of the tenant in a period."""
        return await self._call("/latchkey.v1.UsageService/GetUsage", request, v1.GetUsageResponse)

    async def list_top_keys(self, request: v1.ListTopKeysRequest) -> v1.ListTopKeysResponse:
        """ListTopKeys lists the keys of the tenant that were used most in a period, whatever their
        status.
        """
        return await self._call("/latchkey.v1.UsageService/ListTopKeys", request, v1.ListTopKeysResponse)


class WebhookService:
    """WebhookService sends what happens in the caller's tenant to endpoints of its own, signed as
    Standard Webhooks says.

    Callers: dashboard users and secret keys. A webhook of another tenant is answered exactly like
    one that does not exist.

    Each event is sent at least once, in no particular order: the header `webhook-id` names it, the
    same on every attempt. The answer 2xx within 10 seconds delivers it. Otherwise it is tried again
    after 5 seconds, 5 and 30 minutes, and 2, 5, 10, 14, 20 and 24 hours. The answer 410 disables
    the webhook, and so do five days without a success. Redirects are not followed.
    """

    def __init__(self, call: Call) -> None:
        self._call = call

    def create_webhook(self, request: v1.CreateWebhookRequest) -> v1.CreateWebhookResponse:
        """CreateWebhook adds an endpoint. A tenant has at most 20.

        The response holds its secret, once. Events that happen from then on are sent to it.
        """
        return self._call("/latchkey.v1.WebhookService/CreateWebhook", request, v1.CreateWebhookResponse)

    def list_webhooks(self, request: v1.ListWebhooksRequest) -> v1.ListWebhooksResponse:
        """ListWebhooks lists all webhooks of the caller's tenant, the oldest first."""
        return self._call("/latchkey.v1.WebhookService/ListWebhooks", request, v1.ListWebhooksResponse)

    def get_webhook(self, request: v1.GetWebhookRequest) -> v1.GetWebhookResponse:
        """GetWebhook reads one webhook."""
        return self._call("/latchkey.v1.WebhookService/GetWebhook", request, v1.GetWebhookResponse)

    def update_webhook(self, request: v1.UpdateWebhookRequest) -> v1.UpdateWebhookResponse:
        """UpdateWebhook changes the fields that `update_mask` names, and no other.

        With `status` it disables and enables: enabling a webhook clears its failures. Events that
        occur while it is disabled are never sent; deliveries that failed before can be redelivered.
        """
        return self._call("/latchkey.v1.WebhookService/UpdateWebhook", request, v1.UpdateWebhookResponse)

    def delete_webhook(self, request: v1.DeleteWebhookRequest) -> v1.DeleteWebhookResponse:
        """DeleteWebhook removes a webhook with its deliveries. It cannot be undone.

        An attempt that is under way ends by itself; no other begins. Deleting again is 404.
        """
        return self._call("/latchkey.v1.WebhookService/DeleteWebhook", request, v1.DeleteWebhookResponse)

    def rotate_webhook_secret(self, request: v1.RotateWebhookSecretRequest) -> v1.RotateWebhookSecretResponse:
        """RotateWebhookSecret makes a new secret, which the response holds, once.

        For 24 hours events are signed with both secrets, so that a receiver with either accepts
        them. Of several rotations within that time, each secret signs for 24 hours from its own. At
        most five sign: a further rotation is refused with `too_many_webhook_secrets` until the
        oldest ends.
        """
        return self._call("/latchkey.v1.WebhookService/RotateWebhookSecret", request, v1.RotateWebhookSecretResponse)

    def test_webhook(self, request: v1.TestWebhookRequest) -> v1.TestWebhookResponse:
        """TestWebhook sends an event of type `webhook.test` at once, and returns the endpoint's
        answer.

        It is tried once and is not a delivery. A disabled webhook can be tested.
        """
        return self._call("/latchkey.v1.WebhookService/TestWebhook", request, v1.TestWebhookResponse)

    def list_webhook_deliveries(self, request: v1.ListWebhookDeliveriesRequest) -> v1.ListWebhookDeliveriesResponse:
        """ListWebhookDeliveries lists the deliveries of the caller's tenant, newest first.

        They are kept for 30 days.
        """
        return self._call("/latchkey.v1.WebhookService/ListWebhookDeliveries", request, v1.ListWebhookDeliveriesResponse)

    def redeliver_webhook_events(self, request: v1.RedeliverWebhookEventsRequest) -> v1.RedeliverWebhookEventsResponse:
        """RedeliverWebhookEvents sends one event again, or all of a webhook since an instant, as if it
        had not been tried yet.

        The body and the event's identifier are the same as the first time. Deliveries that are
        still pending are tried at once. It sends nothing to disabled webhooks. At most 1,000
        deliveries of a call, the oldest first: `next_page_token` names the rest.
        """
        return self._call("/latchkey.v1.WebhookService/RedeliverWebhookEvents", request, v1.RedeliverWebhookEventsResponse)


class AsyncWebhookService:
    """WebhookService sends what happens in the caller's tenant to endpoints of its own, signed as
    Standard Webhooks says.

    Callers: dashboard users and secret keys. A webhook of another tenant is answered exactly like
    one that does not exist.

    Each event is sent at least once, in no particular order: the header `webhook-id` names it, the
    same on every attempt. The answer 2xx within 10 seconds delivers it. Otherwise it is tried again
    after 5 seconds, 5 and 30 minutes, and 2, 5, 10, 14, 20 and 24 hours. The answer 410 disables
    the webhook, and so do five days without a success. Redirects are not followed.
    """

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    async def create_webhook(self, request: v1.CreateWebhookRequest) -> v1.CreateWebhookResponse:
        """CreateWebhook adds an endpoint. A tenant has at most 20.

        The response holds its secret, once. Events that happen from then on are sent to it.
        """
        return await self._call("/latchkey.v1.WebhookService/CreateWebhook", request, v1.CreateWebhookResponse)

    async def list_webhooks(self, request: v1.ListWebhooksRequest) -> v1.ListWebhooksResponse:
        """ListWebhooks lists all webhooks of the caller's tenant, the oldest first."""
        return await self._call("/latchkey.v1.WebhookService/ListWebhooks", request, v1.ListWebhooksResponse)

    async def get_webhook(self, request: v1.GetWebhookRequest) -> v1.GetWebhookResponse:
        """GetWebhook reads one webhook."""
        return await self._call("/latchkey.v1.WebhookService/GetWebhook", request, v1.GetWebhookResponse)

    async def update_webhook(self, request: v1.UpdateWebhookRequest) -> v1.UpdateWebhookResponse:
        """UpdateWebhook changes the fields that `update_mask` names, and no other.

        With `status` it disables and enables: enabling a webhook clears its failures. Events that
        occur while it is disabled are never sent; deliveries that failed before can be redelivered.
        """
        return await self._call("/latchkey.v1.WebhookService/UpdateWebhook", request, v1.UpdateWebhookResponse)

    async def delete_webhook(self, request: v1.DeleteWebhookRequest) -> v1.DeleteWebhookResponse:
        """DeleteWebhook removes a webhook with its deliveries. It cannot be undone.

        An attempt that is under way ends by itself; no other begins. Deleting again is 404.
        """
        return await self._call("/latchkey.v1.WebhookService/DeleteWebhook", request, v1.DeleteWebhookResponse)

    async def rotate_webhook_secret(self, request: v1.RotateWebhookSecretRequest) -> v1.RotateWebhookSecretResponse:
        """RotateWebhookSecret makes a new secret, which the response holds, once.

        For 24 hours events are signed with both secrets, so that a receiver with either accepts
        them. Of several rotations within that time, each secret signs for 24 hours from its own. At
        most five sign: a further rotation is refused with `too_many_webhook_secrets` until the
        oldest ends.
        """
        return await self._call("/latchkey.v1.WebhookService/RotateWebhookSecret", request, v1.RotateWebhookSecretResponse)

    async def test_webhook(self, request: v1.TestWebhookRequest) -> v1.TestWebhookResponse:
        """TestWebhook sends an event of type `webhook.test` at once, and returns the endpoint's
        answer.

        It is tried once and is not a delivery. A disabled webhook can be tested.
        """
        return await self._call("/latchkey.v1.WebhookService/TestWebhook", request, v1.TestWebhookResponse)

    async def list_webhook_deliveries(self, request: v1.ListWebhookDeliveriesRequest) -> v1.ListWebhookDeliveriesResponse:
        """ListWebhookDeliveries lists the deliveries of the caller's tenant, newest first.

        They are kept for 30 days.
        """
        return await self._call("/latchkey.v1.WebhookService/ListWebhookDeliveries", request, v1.ListWebhookDeliveriesResponse)

    async def redeliver_webhook_events(self, request: v1.RedeliverWebhookEventsRequest) -> v1.RedeliverWebhookEventsResponse:
        """RedeliverWebhookEvents sends one event again, or all of a webhook since an instant, as if it
        had not been tried yet.

        The body and the event's identifier are the same as the first time. Deliveries that are
        still pending are tried at once. It sends nothing to disabled webhooks. At most 1,000
        deliveries of a call, the oldest first: `next_page_token` names the rest.
        """
        return await self._call("/latchkey.v1.WebhookService/RedeliverWebhookEvents", request, v1.RedeliverWebhookEventsResponse)
