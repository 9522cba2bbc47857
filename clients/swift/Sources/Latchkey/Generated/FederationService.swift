// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// CreateFederationRuleRequest describes the rule.
    public struct CreateFederationRuleRequest: Codable, Hashable, Sendable {
        /// Name, 1 to 128 characters. Required.
        public var name: String
        /// Issuer of the workloads' tokens: the exact value of their claim `iss`. Required.
        public var issuer: String
        /// Where the issuer's public keys are fetched: an absolute https URL, as for a publishable key. Default: discovered
        /// once from the issuer's metadata, unless `jwks` is set.
        public var jwksURL: String
        /// The issuer's public keys, a JWK set of at most 32 keys and 16,384 bytes as JSON, for an issuer that cannot be
        /// reached from here, such as a private cluster. Not beside `jwks_url`. Default: they are fetched.
        public var jwks: [String: JSONValue]?
        /// The claim `aud` of the workloads' tokens, at most 1,024 characters. Let it name your tenant: another tenant may
        /// have a rule for the same issuer. Required.
        public var audience: String
        /// Further claims that the workloads' tokens must carry, 1 to 32 rules, as `claimRules` of a publishable key's OIDC
        /// configuration. At least one must pin the workload: a claim other than `iss`, `aud`, `exp`, `iat` and `nbf`.
        /// Required.
        public var claimRules: [[String: JSONValue]]?
        /// The secret key for which the tokens stand. Required.
        public var keyID: String
        /// Scopes of the tokens, 1 to 64, each among those of the key. Required.
        public var scopes: [String]
        /// For how many seconds tokens are valid, 60 to 900. Default 0: 900.
        public var ttlSeconds: Int

        public init(
            name: String,
            issuer: String,
            jwksURL: String = "",
            jwks: [String: JSONValue]? = nil,
            audience: String,
            claimRules: [[String: JSONValue]],
            keyID: String,
            scopes: [String],
            ttlSeconds: Int = 0
        ) {
            self.name = name
            self.issuer = issuer
            self.jwksURL = jwksURL
            self.jwks = jwks
            self.audience = audience
            self.claimRules = claimRules
            self.keyID = keyID
            self.scopes = scopes
            self.ttlSeconds = ttlSeconds
        }

        enum CodingKeys: String, CodingKey {
            case name
            case issuer
            case jwksURL = "jwks_url"
            case jwks
            case audience
            case claimRules = "claim_rules"
            case keyID = "key_id"
            case scopes
            case ttlSeconds = "ttl_seconds"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.jwksURL = try members.decodeIfPresent(String.self, forKey: .jwksURL) ?? ""
            self.jwks = try members.decodeIfPresent([String: JSONValue].self, forKey: .jwks)
            self.audience = try members.decodeIfPresent(String.self, forKey: .audience) ?? ""
            self.claimRules = try members.decodeIfPresent([[String: JSONValue]].self, forKey: .claimRules)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
            self.ttlSeconds = try members.decodeIfPresent(Int.self, forKey: .ttlSeconds) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encode(self.jwksURL, forKey: .jwksURL, unless: "")
            try members.encodeIfPresent(self.jwks, forKey: .jwks)
            try members.encode(self.audience, forKey: .audience, unless: "")
            try members.encodeIfPresent(self.claimRules, forKey: .claimRules)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.scopes, forKey: .scopes, unless: [])
            try members.encode(self.ttlSeconds, forKey: .ttlSeconds, unless: 0)
        }
    }

    /// CreateFederationRuleResponse holds the rule.
    public struct CreateFederationRuleResponse: Codable, Hashable, Sendable {
        /// The rule.
        public var result: FederationRule

        public init(result: FederationRule = FederationRule()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(FederationRule.self, forKey: .result) ?? FederationRule()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: FederationRule())
        }
    }

    /// ListFederationRulesRequest has no filters.
    public struct ListFederationRulesRequest: Codable, Hashable, Sendable {
        /// Takes only the empty text: the response is the whole list. It is there because every list has it.
        public var pageToken: String

        public init(pageToken: String = "") {
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }
    }

    /// ListFederationRulesResponse is the tenant's rules.
    public struct ListFederationRulesResponse: Codable, Hashable, Sendable {
        /// The rules, the oldest first.
        public var rules: [FederationRule]
        /// Always empty: the list has one page.
        public var nextPageToken: String

        public init(rules: [FederationRule] = [], nextPageToken: String = "") {
            self.rules = rules
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case rules
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.rules = try members.decodeIfPresent([FederationRule].self, forKey: .rules) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.rules, forKey: .rules, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// GetFederationRuleRequest names a rule.
    public struct GetFederationRuleRequest: Codable, Hashable, Sendable {
        /// Identifier of the rule. Required.
        public var ruleID: String

        public init(ruleID: String) {
            self.ruleID = ruleID
        }

        enum CodingKeys: String, CodingKey {
            case ruleID = "rule_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.ruleID = try members.decodeIfPresent(String.self, forKey: .ruleID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.ruleID, forKey: .ruleID, unless: "")
        }
    }

    /// GetFederationRuleResponse holds the rule.
    public struct GetFederationRuleResponse: Codable, Hashable, Sendable {
        /// The rule.
        public var result: FederationRule

        public init(result: FederationRule = FederationRule()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(FederationRule.self, forKey: .result) ?? FederationRule()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: FederationRule())
        }
    }

    /// UpdateFederationRuleRequest names a rule, new values and which of them to take.
    public struct UpdateFederationRuleRequest: Codable, Hashable, Sendable {
        /// Identifier of the rule. Required.
        public var ruleID: String
        /// Name, 1 to 128 characters. It cannot be cleared.
        public var name: String
        /// Issuer of the workloads' tokens: the exact value of their claim `iss`. It cannot be cleared.
        public var issuer: String
        /// Where the issuer's public keys are fetched: an absolute https URL, as for a publishable key. Default: discovered
        /// once from the issuer's metadata, unless `jwks` is set.
        public var jwksURL: String
        /// The issuer's public keys, a JWK set of at most 32 keys and 16,384 bytes as JSON, for an issuer that cannot be
        /// reached from here, such as a private cluster. Not beside `jwks_url`. Default: they are fetched.
        public var jwks: [String: JSONValue]?
        /// The claim `aud` of the workloads' tokens, at most 1,024 characters. Let it name your tenant: another tenant may
        /// have a rule for the same issuer. It cannot be cleared.
        public var audience: String
        /// Further claims that the workloads' tokens must carry, 1 to 32 rules, as `claimRules` of a publishable key's OIDC
        /// configuration. At least one must pin the workload: a claim other than `iss`, `aud`, `exp`, `iat` and `nbf`. It
        /// cannot be cleared.
        public var claimRules: [[String: JSONValue]]?
        /// The secret key for which the tokens stand. It cannot be cleared.
        public var keyID: String
        /// Scopes of the tokens, 1 to 64, each among those of the key. It cannot be cleared.
        public var scopes: [String]
        /// For how many seconds tokens are valid, 60 to 900. Default 0: 900.
        public var ttlSeconds: Int
        /// New status. It cannot be cleared.
        public var status: FederationRuleStatus
        /// Fields to change, separated by commas, such as `audience,claim_rules`. Required. At most 1,024 characters.
        public var updateMask: String

        public init(
            ruleID: String,
            name: String = "",
            issuer: String = "",
            jwksURL: String = "",
            jwks: [String: JSONValue]? = nil,
            audience: String = "",
            claimRules: [[String: JSONValue]]? = nil,
            keyID: String = "",
            scopes: [String] = [],
            ttlSeconds: Int = 0,
            status: FederationRuleStatus = .unspecified,
            updateMask: String
        ) {
            self.ruleID = ruleID
            self.name = name
            self.issuer = issuer
            self.jwksURL = jwksURL
            self.jwks = jwks
            self.audience = audience
            self.claimRules = claimRules
            self.keyID = keyID
            self.scopes = scopes
            self.ttlSeconds = ttlSeconds
            self.status = status
            self.updateMask = updateMask
        }

        enum CodingKeys: String, CodingKey {
            case ruleID = "rule_id"
            case name
            case issuer
            case jwksURL = "jwks_url"
            case jwks
            case audience
            case claimRules = "claim_rules"
            case keyID = "key_id"
            case scopes
            case ttlSeconds = "ttl_seconds"
            case status
            case updateMask = "update_mask"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.ruleID = try members.decodeIfPresent(String.self, forKey: .ruleID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.jwksURL = try members.decodeIfPresent(String.self, forKey: .jwksURL) ?? ""
            self.jwks = try members.decodeIfPresent([String: JSONValue].self, forKey: .jwks)
            self.audience = try members.decodeIfPresent(String.self, forKey: .audience) ?? ""
            self.claimRules = try members.decodeIfPresent([[String: JSONValue]].self, forKey: .claimRules)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
            self.ttlSeconds = try members.decodeIfPresent(Int.self, forKey: .ttlSeconds) ?? 0
            self.status = try members.decodeIfPresent(FederationRuleStatus.self, forKey: .status) ?? .unspecified
            self.updateMask = try members.decodeIfPresent(String.self, forKey: .updateMask) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.ruleID, forKey: .ruleID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encode(self.jwksURL, forKey: .jwksURL, unless: "")
            try members.encodeIfPresent(self.jwks, forKey: .jwks)
            try members.encode(self.audience, forKey: .audience, unless: "")
            try members.encodeIfPresent(self.claimRules, forKey: .claimRules)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.scopes, forKey: .scopes, unless: [])
            try members.encode(self.ttlSeconds, forKey: .ttlSeconds, unless: 0)
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.updateMask, forKey: .updateMask, unless: "")
        }
    }

    /// UpdateFederationRuleResponse holds the rule.
    public struct UpdateFederationRuleResponse: Codable, Hashable, Sendable {
        /// The rule after the change.
        public var result: FederationRule

        public init(result: FederationRule = FederationRule()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(FederationRule.self, forKey: .result) ?? FederationRule()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: FederationRule())
        }
    }

    /// DeleteFederationRuleRequest names a rule.
    public struct DeleteFederationRuleRequest: Codable, Hashable, Sendable {
        /// Identifier of the rule. Required.
        public var ruleID: String

        public init(ruleID: String) {
            self.ruleID = ruleID
        }

        enum CodingKeys: String, CodingKey {
            case ruleID = "rule_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.ruleID = try members.decodeIfPresent(String.self, forKey: .ruleID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.ruleID, forKey: .ruleID, unless: "")
        }
    }

    /// DeleteFederationRuleResponse is empty.
    public struct DeleteFederationRuleResponse: Codable, Hashable, Sendable {
        public init() {}
    }

    /// CheckFederationAssertionRequest names a rule and a workload's token.
    public struct CheckFederationAssertionRequest: Codable, Hashable, Sendable, CustomReflectable {
        /// Identifier of the rule. Required.
        public var ruleID: String
        /// The workload's token, at most 16,384 characters. Required.
        public var assertion: String

        public init(ruleID: String, assertion: String) {
            self.ruleID = ruleID
            self.assertion = assertion
        }

        enum CodingKeys: String, CodingKey {
            case ruleID = "rule_id"
            case assertion
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.ruleID = try members.decodeIfPresent(String.self, forKey: .ruleID) ?? ""
            self.assertion = try members.decodeIfPresent(String.self, forKey: .assertion) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.ruleID, forKey: .ruleID, unless: "")
            try members.encode(self.assertion, forKey: .assertion, unless: "")
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "ruleID": self.ruleID,
                    "assertion": redacted(self.assertion),
                ],
                displayStyle: .struct
            )
        }
    }

    /// CheckFederationAssertionResponse shows each check.
    public struct CheckFederationAssertionResponse: Codable, Hashable, Sendable {
        /// Whether the workload would get a token.
        public var passed: Bool
        /// The checks in their order, also those after the first that fails, as far as they can be made.
        public var steps: [FederationStep]

        public init(passed: Bool = false, steps: [FederationStep] = []) {
            self.passed = passed
            self.steps = steps
        }

        enum CodingKeys: String, CodingKey {
            case passed
            case steps
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.passed = try members.decodeIfPresent(Bool.self, forKey: .passed) ?? false
            self.steps = try members.decodeIfPresent([FederationStep].self, forKey: .steps) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.passed, forKey: .passed, unless: false)
            try members.encode(self.steps, forKey: .steps, unless: [])
        }
    }

    /// FederationService says which workloads get tokens without any stored secret: a job of a CI system or a pod of a
    /// cluster sends the token that its own platform gives it to `POST /oauth/token`, and gets a short one of Latchkey's.
    ///
    /// Callers: dashboard users and secret keys with `api_keys:admin`. A rule of another tenant is answered exactly like
    /// one that does not exist.
    public struct FederationService: Sendable {
        let caller: HTTPCaller

        /// CreateFederationRule adds a rule. A tenant has at most 100.
        ///
        /// An API key needs the scope `api_keys:admin`. A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - name: Name, 1 to 128 characters. Required.
        ///   - issuer: Issuer of the workloads' tokens: the exact value of their claim `iss`. Required.
        ///   - jwksURL: Where the issuer's public keys are fetched: an absolute https URL, as for a publishable key. Default:
        ///     discovered once from the issuer's metadata, unless `jwks` is set.
        ///   - jwks: The issuer's public keys, a JWK set of at most 32 keys and 16,384 bytes as JSON, for an issuer that cannot
        ///     be reached from here, such as a private cluster. Not beside `jwks_url`. Default: they are fetched.
        ///   - audience: The claim `aud` of the workloads' tokens, at most 1,024 characters. Let it name your tenant: another
        ///     tenant may have a rule for the same issuer. Required.
        ///   - claimRules: Further claims that the workloads' tokens must carry, 1 to 32 rules, as `claimRules` of a
        ///     publishable key's OIDC configuration. At least one must pin the workload: a claim other than `iss`, `aud`,
        ///     `exp`, `iat` and `nbf`. Required.
        ///   - keyID: The secret key for which the tokens stand. Required.
        ///   - scopes: Scopes of the tokens, 1 to 64, each among those of the key. Required.
        ///   - ttlSeconds: For how many seconds tokens are valid, 60 to 900. Default 0: 900.
        public func createFederationRule(
            name: String,
            issuer: String,
            jwksURL: String = "",
            jwks: [String: JSONValue]? = nil,
            audience: String,
            claimRules: [[String: JSONValue]],
            keyID: String,
            scopes: [String],
            ttlSeconds: Int = 0
        ) async throws -> CreateFederationRuleResponse {
            try await createFederationRule(
                CreateFederationRuleRequest(name: name, issuer: issuer, jwksURL: jwksURL, jwks: jwks, audience: audience, claimRules: claimRules, keyID: keyID, scopes: scopes, ttlSeconds: ttlSeconds)
            )
        }

        /// CreateFederationRule, with a request that was made before.
        public func createFederationRule(_ request: CreateFederationRuleRequest) async throws -> CreateFederationRuleResponse {
            try await caller.call("/api/v1/federation/rules/create", request, isRepeatable: false)
        }

        /// ListFederationRules lists all rules of the caller's tenant, the oldest first.
        ///
        /// An API key needs the scope `api_keys:admin`. A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - pageToken: Takes only the empty text: the response is the whole list. It is there because every list has it.
        public func listFederationRules(pageToken: String = "") async throws -> ListFederationRulesResponse {
            try await listFederationRules(ListFederationRulesRequest(pageToken: pageToken))
        }

        /// ListFederationRules, with a request that was made before.
        public func listFederationRules(_ request: ListFederationRulesRequest) async throws -> ListFederationRulesResponse {
            try await caller.call("/api/v1/federation/rules/list", request, isRepeatable: true)
        }

        /// GetFederationRule reads one rule.
        ///
        /// An API key needs the scope `api_keys:admin`. A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - ruleID: Identifier of the rule. Required.
        public func getFederationRule(ruleID: String) async throws -> GetFederationRuleResponse {
            try await getFederationRule(GetFederationRuleRequest(ruleID: ruleID))
        }

        /// GetFederationRule, with a request that was made before.
        public func getFederationRule(_ request: GetFederationRuleRequest) async throws -> GetFederationRuleResponse {
            try await caller.call("/api/v1/federation/rules/get", request, isRepeatable: true)
        }

        /// UpdateFederationRule changes the fields that `update_mask` names, and no other.
        ///
        /// Once the answer to a change of `status` to disabled is there, no replica accepts a token that was issued by the
        /// rule.
        ///
        /// An API key needs the scope `api_keys:admin`. A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - ruleID: Identifier of the rule. Required.
        ///   - name: Name, 1 to 128 characters. It cannot be cleared.
        ///   - issuer: Issuer of the workloads' tokens: the exact value of their claim `iss`. It cannot be cleared.
        ///   - jwksURL: Where the issuer's public keys are fetched: an absolute https URL, as for a publishable key. Default:
        ///     discovered once from the issuer's metadata, unless `jwks` is set.
        ///   - jwks: The issuer's public keys, a JWK set of at most 32 keys and 16,384 bytes as JSON, for an issuer that cannot
        ///     be reached from here, such as a private cluster. Not beside `jwks_url`. Default: they are fetched.
        ///   - audience: The claim `aud` of the workloads' tokens, at most 1,024 characters. Let it name your tenant: another
        ///     tenant may have a rule for the same issuer. It cannot be cleared.
        ///   - claimRules: Further claims that the workloads' tokens must carry, 1 to 32 rules, as `claimRules` of a
        ///     publishable key's OIDC configuration. At least one must pin the workload: a claim other than `iss`, `aud`,
        ///     `exp`, `iat` and `nbf`. It cannot be cleared.
        ///   - keyID: The secret key for which the tokens stand. It cannot be cleared.
        ///   - scopes: Scopes of the tokens, 1 to 64, each among those of the key. It cannot be cleared.
        ///   - ttlSeconds: For how many seconds tokens are valid, 60 to 900. Default 0: 900.
        ///   - status: New status. It cannot be cleared.
        ///   - updateMask: Fields to change, separated by commas, such as `audience,claim_rules`. Required. At most 1,024
        ///     characters.
        public func updateFederationRule(
            ruleID: String,
            name: String = "",
            issuer: String = "",
            jwksURL: String = "",
            jwks: [String: JSONValue]? = nil,
            audience: String = "",
            claimRules: [[String: JSONValue]]? = nil,
            keyID: String = "",
            scopes: [String] = [],
            ttlSeconds: Int = 0,
            status: FederationRuleStatus = .unspecified,
            updateMask: String
        ) async throws -> UpdateFederationRuleResponse {
            try await updateFederationRule(
                UpdateFederationRuleRequest(ruleID: ruleID, name: name, issuer: issuer, jwksURL: jwksURL, jwks: jwks, audience: audience, claimRules: claimRules, keyID: keyID, scopes: scopes, ttlSeconds: ttlSeconds, status: status, updateMask: updateMask)
            )
        }

        /// UpdateFederationRule, with a request that was made before.
        public func updateFederationRule(_ request: UpdateFederationRuleRequest) async throws -> UpdateFederationRuleResponse {
            try await caller.call("/api/v1/federation/rules/update", request, isRepeatable: false)
        }

        /// DeleteFederationRule removes a rule. Once it is answered, no replica accepts a token that was issued by it. Deleting
        /// again is 404.
        ///
        /// An API key needs the scope `api_keys:admin`. A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - ruleID: Identifier of the rule. Required.
        public func deleteFederationRule(ruleID: String) async throws -> DeleteFederationRuleResponse {
            try await deleteFederationRule(DeleteFederationRuleRequest(ruleID: ruleID))
        }

        /// DeleteFederationRule, with a request that was made before.
        public func deleteFederationRule(_ request: DeleteFederationRuleRequest) async throws -> DeleteFederationRuleResponse {
            try await caller.call("/api/v1/federation/rules/delete", request, isRepeatable: false)
        }

        /// CheckFederationAssertion shows step by step whether a workload's token would get one of Latchkey's by a rule, and
        /// why not.
        ///
        /// It issues nothing, and does not use the workload's token up.
        ///
        /// An API key needs the scope `api_keys:admin`. A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - ruleID: Identifier of the rule. Required.
        ///   - assertion: The workload's token, at most 16,384 characters. Required.
        public func checkFederationAssertion(
            ruleID: String,
            assertion: String
        ) async throws -> CheckFederationAssertionResponse {
            try await checkFederationAssertion(CheckFederationAssertionRequest(ruleID: ruleID, assertion: assertion))
        }

        /// CheckFederationAssertion, with a request that was made before.
        public func checkFederationAssertion(_ request: CheckFederationAssertionRequest) async throws -> CheckFederationAssertionResponse {
            try await caller.call("/api/v1/federation/rules/check", request, isRepeatable: false)
        }
    }
}
