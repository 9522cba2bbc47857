// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// FederationRuleStatus says whether tokens are issued by a rule, and accepted.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct FederationRuleStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never in an answer.
        public static let unspecified = FederationRuleStatus(rawValue: "FEDERATION_RULE_STATUS_UNSPECIFIED")

        /// Workloads get tokens by it.
        public static let enabled = FederationRuleStatus(rawValue: "FEDERATION_RULE_STATUS_ENABLED")

        /// No workload gets a token by it, and no token that was issued by it is accepted.
        public static let disabled = FederationRuleStatus(rawValue: "FEDERATION_RULE_STATUS_DISABLED")
    }

    /// FederationRule says which workloads get tokens for a secret key, by the tokens of their own platform.
    public struct FederationRule: Codable, Hashable, Sendable {
        /// Identifier of the rule, `fed_...`.
        public var ruleID: String
        /// Name, 1 to 128 characters.
        public var name: String
        /// Issuer of the workloads' tokens, their claim `iss`.
        public var issuer: String
        /// Where the issuer's keys are; absent: they are discovered from the issuer's own metadata, or `jwks` has them.
        public var jwksURL: String?
        /// The issuer's public keys, a JWK set, for an issuer that cannot be reached from here; absent: they are fetched.
        public var jwks: [String: JSONValue]?
        /// The claim `aud` of the workloads' tokens.
        public var audience: String
        /// Further claims that the workloads' tokens must carry, as `claimRules` of a publishable key's OIDC configuration.
        /// At least one pins the workload.
        public var claimRules: [[String: JSONValue]]?
        /// The secret key for which the tokens stand.
        public var keyID: String
        /// Scopes of the tokens, as far as the key has them, too.
        public var scopes: [String]
        /// For how many seconds tokens are valid, 60 to 900.
        public var ttlSeconds: Int
        /// Whether workloads get tokens by it.
        public var status: FederationRuleStatus
        /// When it was created.
        public var createdAt: Date
        /// When it was changed last.
        public var updatedAt: Date
        /// The same as `jwks_url`, under its former name, until 0.1.0.
        public var formerJWKSURL: String?
        /// The same as `claim_rules`, under its former name, until 0.1.0.
        public var formerClaimRules: [[String: JSONValue]]?

        public init(
            ruleID: String = "",
            name: String = "",
            issuer: String = "",
            jwksURL: String? = nil,
            jwks: [String: JSONValue]? = nil,
            audience: String = "",
            claimRules: [[String: JSONValue]]? = nil,
            keyID: String = "",
            scopes: [String] = [],
            ttlSeconds: Int = 0,
            status: FederationRuleStatus = .unspecified,
            createdAt: Date = Date(timeIntervalSince1970: 0),
            updatedAt: Date = Date(timeIntervalSince1970: 0),
            formerJWKSURL: String? = nil,
            formerClaimRules: [[String: JSONValue]]? = nil
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
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.formerJWKSURL = formerJWKSURL
            self.formerClaimRules = formerClaimRules
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
            case createdAt = "created_at"
            case updatedAt = "updated_at"
            case formerJWKSURL = "jwksUrl"
            case formerClaimRules = "claimRules"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.ruleID = try members.decodeIfPresent(String.self, forKey: .ruleID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.jwksURL = try members.decodeIfPresent(String.self, forKey: .jwksURL)
            self.jwks = try members.decodeIfPresent([String: JSONValue].self, forKey: .jwks)
            self.audience = try members.decodeIfPresent(String.self, forKey: .audience) ?? ""
            self.claimRules = try members.decodeIfPresent([[String: JSONValue]].self, forKey: .claimRules)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
            self.ttlSeconds = try members.decodeIfPresent(Int.self, forKey: .ttlSeconds) ?? 0
            self.status = try members.decodeIfPresent(FederationRuleStatus.self, forKey: .status) ?? .unspecified
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.updatedAt = try members.decodeIfPresent(Date.self, forKey: .updatedAt) ?? Date(timeIntervalSince1970: 0)
            self.formerJWKSURL = try members.decodeIfPresent(String.self, forKey: .formerJWKSURL)
            self.formerClaimRules = try members.decodeIfPresent([[String: JSONValue]].self, forKey: .formerClaimRules)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.ruleID, forKey: .ruleID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encodeIfPresent(self.jwksURL, forKey: .jwksURL)
            try members.encodeIfPresent(self.jwks, forKey: .jwks)
            try members.encode(self.audience, forKey: .audience, unless: "")
            try members.encodeIfPresent(self.claimRules, forKey: .claimRules)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.scopes, forKey: .scopes, unless: [])
            try members.encode(self.ttlSeconds, forKey: .ttlSeconds, unless: 0)
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.updatedAt, forKey: .updatedAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.formerJWKSURL, forKey: .formerJWKSURL)
            try members.encodeIfPresent(self.formerClaimRules, forKey: .formerClaimRules)
        }
    }

    /// FederationStep is one check of a workload's token.
    public struct FederationStep: Codable, Hashable, Sendable {
        /// Name of the check.
        ///
        /// Of the rule: `status`, `key`, `scopes`, `key_set`. Of the token: `form`, `algorithm`, `signature`, `payload`,
        /// `token_type`, `issuer`, `audience`, `times`, `confirmation` of a token with `cnf`, `lifetime`, `claim_rules`. A
        /// later version may have more.
        public var name: String
        /// Whether it passed.
        public var passed: Bool
        /// The expected value, at most 512 characters; empty where `detail` says it.
        public var expected: String
        /// The actual value, at most 512 characters; empty if it is missing.
        public var found: String
        /// The result as a sentence.
        public var detail: String

        public init(name: String = "", passed: Bool = false, expected: String = "", found: String = "", detail: String = "") {
            self.name = name
            self.passed = passed
            self.expected = expected
            self.found = found
            self.detail = detail
        }

        enum CodingKeys: String, CodingKey {
            case name
            case passed
            case expected
            case found
            case detail
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.passed = try members.decodeIfPresent(Bool.self, forKey: .passed) ?? false
            self.expected = try members.decodeIfPresent(String.self, forKey: .expected) ?? ""
            self.found = try members.decodeIfPresent(String.self, forKey: .found) ?? ""
            self.detail = try members.decodeIfPresent(String.self, forKey: .detail) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.passed, forKey: .passed, unless: false)
            try members.encode(self.expected, forKey: .expected, unless: "")
            try members.encode(self.found, forKey: .found, unless: "")
            try members.encode(self.detail, forKey: .detail, unless: "")
        }
    }
}
