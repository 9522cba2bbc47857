// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// KeyPolicy is a tenant's rules for its keys.
    public struct KeyPolicy: Codable, Hashable, Sendable {
        /// Maximum number of hours from the creation of a key to its `expires_at`, 0 to 876,000. A key must then expire.
        ///
        /// Default 0: keys may live for ever.
        public var maxLifetimeHours: Int
        /// Whether a key must have `expires_at`. Default: false.
        public var expiryRequired: Bool
        /// The greatest limits that a key may have, each for the member of its name. A key without that limit goes beyond
        /// it. Of `burst_size` that is the number of requests that a key may make at once: its `burst_size`, or where that
        /// is 0 its cap. `per_user` has rules for the limit of each user.
        ///
        /// Default 0, for each: any limit, or unlimited.
        public var maxRateLimit: RateLimit?
        /// The scopes that keys may have, at most 64, wildcards too: `plans:*` allows every scope of its domain and
        /// `plans:*` itself.
        ///
        /// Default: all scopes.
        public var permissions: [String]
        /// Whether a key must have `allowed_ips`. Default: false.
        public var allowedIPsRequired: Bool
        /// Maximum number of keys of the tenant that are active or disabled. In responses it is the number that binds, the
        /// tenant's or the operator's.
        ///
        /// Default 0: as many as the operator allows, 10,000 unless they have set another number. It cannot be more.
        public var maxKeys: Int

        public init(
            maxLifetimeHours: Int = 0,
            expiryRequired: Bool = false,
            maxRateLimit: RateLimit? = nil,
            permissions: [String] = [],
            allowedIPsRequired: Bool = false,
            maxKeys: Int = 0
        ) {
            self.maxLifetimeHours = maxLifetimeHours
            self.expiryRequired = expiryRequired
            self.maxRateLimit = maxRateLimit
            self.permissions = permissions
            self.allowedIPsRequired = allowedIPsRequired
            self.maxKeys = maxKeys
        }

        enum CodingKeys: String, CodingKey {
            case maxLifetimeHours = "max_lifetime_hours"
            case expiryRequired = "expiry_required"
            case maxRateLimit = "max_rate_limit"
            case permissions
            case allowedIPsRequired = "allowed_ips_required"
            case maxKeys = "max_keys"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.maxLifetimeHours = try members.decodeIfPresent(Int.self, forKey: .maxLifetimeHours) ?? 0
            self.expiryRequired = try members.decodeIfPresent(Bool.self, forKey: .expiryRequired) ?? false
            self.maxRateLimit = try members.decodeIfPresent(RateLimit.self, forKey: .maxRateLimit)
            self.permissions = try members.decodeIfPresent([String].self, forKey: .permissions) ?? []
            self.allowedIPsRequired = try members.decodeIfPresent(Bool.self, forKey: .allowedIPsRequired) ?? false
            self.maxKeys = try members.decodeIfPresent(Int.self, forKey: .maxKeys) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.maxLifetimeHours, forKey: .maxLifetimeHours, unless: 0)
            try members.encode(self.expiryRequired, forKey: .expiryRequired, unless: false)
            try members.encodeIfPresent(self.maxRateLimit, forKey: .maxRateLimit)
            try members.encode(self.permissions, forKey: .permissions, unless: [])
            try members.encode(self.allowedIPsRequired, forKey: .allowedIPsRequired, unless: false)
            try members.encode(self.maxKeys, forKey: .maxKeys, unless: 0)
        }
    }

    /// GetKeyPolicyRequest is empty.
    public struct GetKeyPolicyRequest: Codable, Hashable, Sendable {
        public init() {}
    }

    /// GetKeyPolicyResponse holds the rules.
    public struct GetKeyPolicyResponse: Codable, Hashable, Sendable {
        /// The rules.
        public var result: KeyPolicy

        public init(result: KeyPolicy = KeyPolicy()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(KeyPolicy.self, forKey: .result) ?? KeyPolicy()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: KeyPolicy())
        }
    }

    /// SetKeyPolicyRequest holds the new rules.
    public struct SetKeyPolicyRequest: Codable, Hashable, Sendable {
        /// The rules; `{}` lifts all. Required.
        public var policy: KeyPolicy?

        public init(policy: KeyPolicy) {
            self.policy = policy
        }

        enum CodingKeys: String, CodingKey {
            case policy
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.policy = try members.decodeIfPresent(KeyPolicy.self, forKey: .policy)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.policy, forKey: .policy)
        }
    }

    /// SetKeyPolicyResponse holds the rules.
    public struct SetKeyPolicyResponse: Codable, Hashable, Sendable {
        /// The rules from now on.
        public var result: KeyPolicy

        public init(result: KeyPolicy = KeyPolicy()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(KeyPolicy.self, forKey: .result) ?? KeyPolicy()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: KeyPolicy())
        }
    }

    /// KeyPolicyService has the rules of the caller's tenant for its own API keys.
    ///
    /// Callers: dashboard users. A rule binds every change of a key from then on, also those by the operator: create,
    /// rotate and enable are 400 `failed_precondition` for a key that goes beyond a rule, and so is update for a member
    /// that it changes. The message names the rule. Keys that go beyond keep working.
    public struct KeyPolicyService: Sendable {
        let caller: HTTPCaller

        /// GetKeyPolicy reads the rules. Without any that were set, it returns the defaults.
        ///
        /// A dashboard user needs `api_keys:admin`.
        public func getKeyPolicy() async throws -> GetKeyPolicyResponse {
            try await getKeyPolicy(GetKeyPolicyRequest())
        }

        /// GetKeyPolicy, with a request that was made before.
        public func getKeyPolicy(_ request: GetKeyPolicyRequest) async throws -> GetKeyPolicyResponse {
            try await caller.call("/api/v1/api-keys/policy/get", request, isRepeatable: true)
        }

        /// SetKeyPolicy replaces all rules. A rule that the request does not have is lifted.
        ///
        /// When it responds, no change of a key that began before and goes beyond a rule can still be committed.
        ///
        /// A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - policy: The rules; `{}` lifts all. Required.
        public func setKeyPolicy(policy: KeyPolicy) async throws -> SetKeyPolicyResponse {
            try await setKeyPolicy(SetKeyPolicyRequest(policy: policy))
        }

        /// SetKeyPolicy, with a request that was made before.
        public func setKeyPolicy(_ request: SetKeyPolicyRequest) async throws -> SetKeyPolicyResponse {
            try await caller.call("/api/v1/api-keys/policy/set", request, isRepeatable: false)
        }
    }
}
