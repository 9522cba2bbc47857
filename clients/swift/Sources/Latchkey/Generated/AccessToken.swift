// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// AccessToken is the record of an access token: a short-lived substitute for a secret key, with at most its scopes.
    /// The token itself is not part of it.
    public struct AccessToken: Codable, Hashable, Sendable {
        /// Identifier of the token, `tok_...`: its claim `jti`.
        public var tokenID: String
        /// The key that it was issued for.
        public var keyID: String
        /// Its scopes. A call also needs the key's permission.
        public var scopes: [String]
        /// The user that it acts for. Absent: it does not act for a user.
        public var userID: String?
        /// The service that it is for, its claim `aud`.
        public var audience: String
        /// The thumbprint of the key that its sender must have (RFC 9449); absent: any sender may use it.
        public var confirmationJkt: String?
        /// The federation rule by which it was issued; absent: it was derived from its key.
        public var ruleID: String?
        /// When it was issued.
        public var createdAt: Date
        /// When it expires.
        public var expiresAt: Date
        /// When it was revoked. Absent: it was not.
        public var revokedAt: Date?

        public init(
            tokenID: String = "",
            keyID: String = "",
            scopes: [String] = [],
            userID: String? = nil,
            audience: String = "",
            confirmationJkt: String? = nil,
            ruleID: String? = nil,
            createdAt: Date = Date(timeIntervalSince1970: 0),
            expiresAt: Date = Date(timeIntervalSince1970: 0),
            revokedAt: Date? = nil
        ) {
            self.tokenID = tokenID
            self.keyID = keyID
            self.scopes = scopes
            self.userID = userID
            self.audience = audience
            self.confirmationJkt = confirmationJkt
            self.ruleID = ruleID
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.revokedAt = revokedAt
        }

        enum CodingKeys: String, CodingKey {
            case tokenID = "token_id"
            case keyID = "key_id"
            case scopes
            case userID = "user_id"
            case audience
            case confirmationJkt = "confirmation_jkt"
            case ruleID = "rule_id"
            case createdAt = "created_at"
            case expiresAt = "expires_at"
            case revokedAt = "revoked_at"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tokenID = try members.decodeIfPresent(String.self, forKey: .tokenID) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID)
            self.audience = try members.decodeIfPresent(String.self, forKey: .audience) ?? ""
            self.confirmationJkt = try members.decodeIfPresent(String.self, forKey: .confirmationJkt)
            self.ruleID = try members.decodeIfPresent(String.self, forKey: .ruleID)
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt) ?? Date(timeIntervalSince1970: 0)
            self.revokedAt = try members.decodeIfPresent(Date.self, forKey: .revokedAt)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tokenID, forKey: .tokenID, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.scopes, forKey: .scopes, unless: [])
            try members.encodeIfPresent(self.userID, forKey: .userID)
            try members.encode(self.audience, forKey: .audience, unless: "")
            try members.encodeIfPresent(self.confirmationJkt, forKey: .confirmationJkt)
            try members.encodeIfPresent(self.ruleID, forKey: .ruleID)
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.expiresAt, forKey: .expiresAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.revokedAt, forKey: .revokedAt)
        }
    }
}
