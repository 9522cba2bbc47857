// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// VerifyRequest says what the caller wants to do.
    public struct VerifyRequest: Codable, Hashable, Sendable {
        /// Scope that the caller must have, for example `plans:read`. Default: none.
        public var scope: String?
        /// More scopes; the caller must have all of them. At most 64.
        public var scopes: [String]?
        /// Whether a dashboard user without a tenant may do it. Default: false, denied as `tenant_required`.
        public var tenantOptional: Bool
        /// Whether to explain the decision on the key `key_id`, instead of verifying the caller. Dashboard users only.
        public var explain: Bool
        /// The key to explain; with `explain` only, and then required.
        public var keyID: String
        /// As how many requests of the key's limit the call counts, 1 to 1,000. Default: 1.
        ///
        /// They are spent in one step, all or nothing. A cost that the limit never admits at once is denied with
        /// `rate_limited` without `Retry-After`. With `explain` it is the cost to explain.
        public var cost: Int?

        public init(
            scope: String? = nil,
            scopes: [String]? = nil,
            tenantOptional: Bool = false,
            explain: Bool = false,
            keyID: String = "",
            cost: Int? = nil
        ) {
            self.scope = scope
            self.scopes = scopes
            self.tenantOptional = tenantOptional
            self.explain = explain
            self.keyID = keyID
            self.cost = cost
        }

        enum CodingKeys: String, CodingKey {
            case scope
            case scopes
            case tenantOptional = "tenant_optional"
            case explain
            case keyID = "key_id"
            case cost
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.scope = try members.decodeIfPresent(String.self, forKey: .scope)
            self.scopes = try members.decodeIfPresent([String].self, forKey: .scopes)
            self.tenantOptional = try members.decodeIfPresent(Bool.self, forKey: .tenantOptional) ?? false
            self.explain = try members.decodeIfPresent(Bool.self, forKey: .explain) ?? false
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.cost = try members.decodeIfPresent(Int.self, forKey: .cost)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.scope, forKey: .scope)
            try members.encodeIfPresent(self.scopes, forKey: .scopes)
            try members.encode(self.tenantOptional, forKey: .tenantOptional, unless: false)
            try members.encode(self.explain, forKey: .explain, unless: false)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encodeIfPresent(self.cost, forKey: .cost)
        }
    }

    /// VerifyResponse is the caller.
    public struct VerifyResponse: Codable, Hashable, Sendable {
        /// Kind of caller.
        public var caller: Caller
        /// The caller's tenant.
        public var tenantID: String
        /// Identifier of the API key; empty for a dashboard user.
        public var keyID: String
        /// The user the call is made for: the token's user, or the user a secret key acts for; empty without a user.
        public var userID: String
        /// The caller's permissions: the scopes of the API key, or of the dashboard user's roles, as far as they grant
        /// something.
        ///
        /// `*` grants every scope, but of `system:*` and `tenants:*` only in the operator's own tenant; `domain:*` every
        /// scope of its domain.
        public var permissions: [String]
        /// The user a secret key acts for, by `X-On-Behalf-Of` or by a token with that `user_id`; empty if it does not.
        public var actingFor: String
        /// The remaining limit of the API key, as in the headers; absent for a dashboard user.
        public var rateLimit: RateLimitState?
        /// The decision on the key; present with `explain` only.
        public var explanation: Explanation?
        /// The tenant's own data about the API key; absent if not set, and for a dashboard user.
        public var metadata: [String: JSONValue]?
        /// The tenant's own identifier for the owner of the API key; absent if not set, and for a dashboard user.
        public var externalID: String?
        /// Identifier of the access token that the caller sent in place of the API key; absent without one.
        public var tokenID: String?

        public init(
            caller: Caller = .unspecified,
            tenantID: String = "",
            keyID: String = "",
            userID: String = "",
            permissions: [String] = [],
            actingFor: String = "",
            rateLimit: RateLimitState? = nil,
            explanation: Explanation? = nil,
            metadata: [String: JSONValue]? = nil,
            externalID: String? = nil,
            tokenID: String? = nil
        ) {
            self.caller = caller
            self.tenantID = tenantID
            self.keyID = keyID
            self.userID = userID
            self.permissions = permissions
            self.actingFor = actingFor
            self.rateLimit = rateLimit
            self.explanation = explanation
            self.metadata = metadata
            self.externalID = externalID
            self.tokenID = tokenID
        }

        enum CodingKeys: String, CodingKey {
            case caller
            case tenantID = "tenant_id"
            case keyID = "key_id"
            case userID = "user_id"
            case permissions
            case actingFor = "acting_for"
            case rateLimit = "rate_limit"
            case explanation
            case metadata
            case externalID = "external_id"
            case tokenID = "token_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.caller = try members.decodeIfPresent(Caller.self, forKey: .caller) ?? .unspecified
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.permissions = try members.decodeIfPresent([String].self, forKey: .permissions) ?? []
            self.actingFor = try members.decodeIfPresent(String.self, forKey: .actingFor) ?? ""
            self.rateLimit = try members.decodeIfPresent(RateLimitState.self, forKey: .rateLimit)
            self.explanation = try members.decodeIfPresent(Explanation.self, forKey: .explanation)
            self.metadata = try members.decodeIfPresent([String: JSONValue].self, forKey: .metadata)
            self.externalID = try members.decodeIfPresent(String.self, forKey: .externalID)
            self.tokenID = try members.decodeIfPresent(String.self, forKey: .tokenID)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.caller, forKey: .caller, unless: .unspecified)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.permissions, forKey: .permissions, unless: [])
            try members.encode(self.actingFor, forKey: .actingFor, unless: "")
            try members.encodeIfPresent(self.rateLimit, forKey: .rateLimit)
            try members.encodeIfPresent(self.explanation, forKey: .explanation)
            try members.encodeIfPresent(self.metadata, forKey: .metadata)
            try members.encodeIfPresent(self.externalID, forKey: .externalID)
            try members.encodeIfPresent(self.tokenID, forKey: .tokenID)
        }
    }

    /// Explanation says how a request with a key would be decided now.
    public struct Explanation: Codable, Hashable, Sendable {
        /// Whether it would be admitted. It does not check a publishable key's user token.
        public var allowed: Bool
        /// Why not, as in `denial_reason`; empty if it would be admitted.
        public var denialReason: String
        /// All checks in order, including those after the first failure.
        public var steps: [ExplanationStep]
        /// The remaining limit of the key.
        public var rateLimit: RateLimitState
        /// The key set at the `jwksUrl` of a publishable key; absent where the key has no `jwksUrl`.
        public var keySet: KeySet?

        public init(
            allowed: Bool = false,
            denialReason: String = "",
            steps: [ExplanationStep] = [],
            rateLimit: RateLimitState = RateLimitState(),
            keySet: KeySet? = nil
        ) {
            self.allowed = allowed
            self.denialReason = denialReason
            self.steps = steps
            self.rateLimit = rateLimit
            self.keySet = keySet
        }

        enum CodingKeys: String, CodingKey {
            case allowed
            case denialReason = "denial_reason"
            case steps
            case rateLimit = "rate_limit"
            case keySet = "key_set"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.allowed = try members.decodeIfPresent(Bool.self, forKey: .allowed) ?? false
            self.denialReason = try members.decodeIfPresent(String.self, forKey: .denialReason) ?? ""
            self.steps = try members.decodeIfPresent([ExplanationStep].self, forKey: .steps) ?? []
            self.rateLimit = try members.decodeIfPresent(RateLimitState.self, forKey: .rateLimit) ?? RateLimitState()
            self.keySet = try members.decodeIfPresent(KeySet.self, forKey: .keySet)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.allowed, forKey: .allowed, unless: false)
            try members.encode(self.denialReason, forKey: .denialReason, unless: "")
            try members.encode(self.steps, forKey: .steps, unless: [])
            try members.encode(self.rateLimit, forKey: .rateLimit, unless: RateLimitState())
            try members.encodeIfPresent(self.keySet, forKey: .keySet)
        }
    }

    /// ExplanationStep is one check.
    public struct ExplanationStep: Codable, Hashable, Sendable {
        /// Name of the check: `status`, `source`, `oidc`, `rate_limit` or `scope`.
        ///
        /// `source` restricts where requests may come from; it passes, because there is no request here. Only keys with
        /// such a restriction have it.
        public var name: String
        /// Whether the key passes it.
        public var passed: Bool
        /// Why, as a sentence.
        public var detail: String

        public init(name: String = "", passed: Bool = false, detail: String = "") {
            self.name = name
            self.passed = passed
            self.detail = detail
        }

        enum CodingKeys: String, CodingKey {
            case name
            case passed
            case detail
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.passed = try members.decodeIfPresent(Bool.self, forKey: .passed) ?? false
            self.detail = try members.decodeIfPresent(String.self, forKey: .detail) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.passed, forKey: .passed, unless: false)
            try members.encode(self.detail, forKey: .detail, unless: "")
        }
    }

    /// KeySet is the key set at the `jwksUrl` of a publishable key.
    public struct KeySet: Codable, Hashable, Sendable {
        /// Why the latest fetch failed, for example `the answer has the status 404`; empty if it succeeded.
        public var problem: String
        /// When the fetch began that returned the keys in use. Absent: no keys are in use.
        ///
        /// Keys that were fetched before a failure are used for 10 minutes.
        public var fetchedAt: Date?
        /// Number of keys in the set.
        public var keyCount: Int
        /// Number of usable keys among `keys`.
        public var usableKeyCount: Int
        /// The keys, in the set's order. At most 32.
        public var keys: [KeySetKey]

        public init(
            problem: String = "",
            fetchedAt: Date? = nil,
            keyCount: Int = 0,
            usableKeyCount: Int = 0,
            keys: [KeySetKey] = []
        ) {
            self.problem = problem
            self.fetchedAt = fetchedAt
            self.keyCount = keyCount
            self.usableKeyCount = usableKeyCount
            self.keys = keys
        }

        enum CodingKeys: String, CodingKey {
            case problem
            case fetchedAt = "fetched_at"
            case keyCount = "key_count"
            case usableKeyCount = "usable_key_count"
            case keys
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.problem = try members.decodeIfPresent(String.self, forKey: .problem) ?? ""
            self.fetchedAt = try members.decodeIfPresent(Date.self, forKey: .fetchedAt)
            self.keyCount = try members.decodeIfPresent(Int.self, forKey: .keyCount) ?? 0
            self.usableKeyCount = try members.decodeIfPresent(Int.self, forKey: .usableKeyCount) ?? 0
            self.keys = try members.decodeIfPresent([KeySetKey].self, forKey: .keys) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.problem, forKey: .problem, unless: "")
            try members.encodeIfPresent(self.fetchedAt, forKey: .fetchedAt)
            try members.encode(self.keyCount, forKey: .keyCount, unless: 0)
            try members.encode(self.usableKeyCount, forKey: .usableKeyCount, unless: 0)
            try members.encode(self.keys, forKey: .keys, unless: [])
        }
    }

    /// KeySetKey is one key of a key set.
    public struct KeySetKey: Codable, Hashable, Sendable {
        /// Its id, the first 256 characters; empty without an id.
        public var kid: String
        /// The values of a token's `alg` that it verifies; empty if it is unusable.
        public var algs: [String]
        /// Why it is unusable, as a predicate of "the key", for example `is published with its private part`; empty if it
        /// is usable.
        public var problem: String

        public init(kid: String = "", algs: [String] = [], problem: String = "") {
            self.kid = kid
            self.algs = algs
            self.problem = problem
        }

        enum CodingKeys: String, CodingKey {
            case kid
            case algs
            case problem
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.kid = try members.decodeIfPresent(String.self, forKey: .kid) ?? ""
            self.algs = try members.decodeIfPresent([String].self, forKey: .algs) ?? []
            self.problem = try members.decodeIfPresent(String.self, forKey: .problem) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.kid, forKey: .kid, unless: "")
            try members.encode(self.algs, forKey: .algs, unless: [])
            try members.encode(self.problem, forKey: .problem, unless: "")
        }
    }

    /// AuthService authenticates and authorizes callers for the platform's other services.
    public struct AuthService: Sendable {
        let caller: HTTPCaller

        /// Verify authenticates the credentials in the request's own headers and checks them against the scopes in its body.
        ///
        /// The answer is the caller, or the same denial that any other RPC would give. It spends one request of the key's
        /// limit, or `cost`, and counts once in its usage, like any call. Reverse proxies use `/auth/check` for the same.
        ///
        /// With `explain`, it returns to a dashboard user with `api_keys:read` how it would decide on a key of their tenant,
        /// and why. That spends nothing. It fetches the key set of a publishable key, unless that was fetched in the last 30 s.
        ///
        /// - Parameters:
        ///   - scope: Scope that the caller must have, for example `plans:read`. Default: none.
        ///   - scopes: More scopes; the caller must have all of them. At most 64.
        ///   - tenantOptional: Whether a dashboard user without a tenant may do it. Default: false, denied as
        ///     `tenant_required`.
        ///   - explain: Whether to explain the decision on the key `key_id`, instead of verifying the caller. Dashboard users
        ///     only.
        ///   - keyID: The key to explain; with `explain` only, and then required.
        ///   - cost: As how many requests of the key's limit the call counts, 1 to 1,000. Default: 1. They are spent in one
        ///     step, all or nothing. A cost that the limit never admits at once is denied with `rate_limited` without
        ///     `Retry-After`. With `explain` it is the cost to explain.
        public func verify(
            scope: String? = nil,
            scopes: [String]? = nil,
            tenantOptional: Bool = false,
            explain: Bool = false,
            keyID: String = "",
            cost: Int? = nil
        ) async throws -> VerifyResponse {
            try await verify(
                VerifyRequest(scope: scope, scopes: scopes, tenantOptional: tenantOptional, explain: explain, keyID: keyID, cost: cost)
            )
        }

        /// Verify, with a request that was made before.
        public func verify(_ request: VerifyRequest) async throws -> VerifyResponse {
            try await caller.call("/api/v1/auth/verify", request, isRepeatable: true)
        }
    }
}
