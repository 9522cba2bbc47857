// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// KeyHash is what a system has stored of a key.
    public struct KeyHash: Codable, Hashable, Sendable {
        /// How it was made, as the key format says. Default in a request: that of the format, or `SHA256` without one.
        /// Empty in an answer: the key has ended, and its format was deleted.
        public var algorithm: String
        /// The digest in hex, base64 or base64url, with or without padding; in an answer, hex. Required.
        public var digest: String
        /// Name of the pepper, as the key format says. Default in a request: that of the format.
        public var pepper: String

        public init(algorithm: String = "", digest: String = "", pepper: String = "") {
            self.algorithm = algorithm
            self.digest = digest
            self.pepper = pepper
        }

        enum CodingKeys: String, CodingKey {
            case algorithm
            case digest
            case pepper
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.algorithm = try members.decodeIfPresent(String.self, forKey: .algorithm) ?? ""
            self.digest = try members.decodeIfPresent(String.self, forKey: .digest) ?? ""
            self.pepper = try members.decodeIfPresent(String.self, forKey: .pepper) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.algorithm, forKey: .algorithm, unless: "")
            try members.encode(self.digest, forKey: .digest, unless: "")
            try members.encode(self.pepper, forKey: .pepper, unless: "")
        }
    }

    /// ImportedRow is a key to import: a secret key that another system has issued, or a key of either type of another
    /// deployment of this service.
    public struct ImportedRow: Codable, Hashable, Sendable, CustomReflectable {
        /// The tenant of the key, 1 to 256 characters. Required of the operator. Dashboard users leave it out, or name
        /// their own.
        public var tenantID: String
        /// The digest that the other system has stored of the key. Exactly one of `hash` and `key`.
        public var hash: KeyHash?
        /// The key itself, which is hashed and not stored: at most 512 characters.
        public var key: String
        /// Name of the key format. Default: that of `key`; or, with `hash`, keys of another deployment of this service,
        /// which only the operator can import by their hash.
        public var keyFormat: String
        /// The part of the key between the format's prefix and its last separator, where the format hashes only what
        /// follows: at most 256 characters. Required beside such a `hash`.
        public var publicPart: String
        /// Beginning of the key, for display: at most 12 characters. Default: of `key`, its format's prefix and up to 4
        /// characters. Required beside a `hash` of a key of this service.
        public var keyPrefix: String
        /// Label, 1 to 128 characters, at least one of them visible. Required.
        public var name: String
        /// Free text, at most 1,024 characters. Default: empty.
        public var description: String
        /// Scopes, 1 to 64, as of a new key. Required.
        public var permissions: [String]
        /// Limits. Default: the operator's default for new keys, else unlimited.
        public var rateLimit: RateLimit?
        /// When the key stops working, or stopped. Default: never.
        public var expiresAt: Date?
        /// When the other system created the key; not in the future. Default: now.
        public var createdAt: Date?
        /// The tenant's own identifier for what the key belongs to, at most 256 characters. Default: none.
        public var externalID: String
        /// The tenant's own data about the key, as of a new key. Default: nothing.
        public var metadata: [String: JSONValue]?
        /// From where the key may be used, as of a new key. Default: from any address.
        public var allowedIPs: [String]?
        /// Whether the key may be used in browsers. Default: false.
        public var allowBrowser: Bool?
        /// Whether the key is switched off until it is enabled. Default: false.
        public var disabled: Bool
        /// When the key was revoked; not in the future. Then its denial says so. Default: it was not.
        public var revokedAt: Date?
        /// Kind of key. Only keys of this service can be publishable. Default: `KEY_TYPE_SECRET`.
        public var keyType: KeyType
        /// Publishable keys only: as the export has it, with `jwksUrl`, because an import fetches nothing.
        public var publishableConfig: PublishableConfig?
        /// From which web pages a publishable key may be used, as of a new key. Default: from any.
        public var allowedOrigins: [String]?

        public init(
            tenantID: String = "",
            hash: KeyHash? = nil,
            key: String = "",
            keyFormat: String = "",
            publicPart: String = "",
            keyPrefix: String = "",
            name: String = "",
            description: String = "",
            permissions: [String] = [],
            rateLimit: RateLimit? = nil,
            expiresAt: Date? = nil,
            createdAt: Date? = nil,
            externalID: String = "",
            metadata: [String: JSONValue]? = nil,
            allowedIPs: [String]? = nil,
            allowBrowser: Bool? = nil,
            disabled: Bool = false,
            revokedAt: Date? = nil,
            keyType: KeyType = .unspecified,
            publishableConfig: PublishableConfig? = nil,
            allowedOrigins: [String]? = nil
        ) {
            self.tenantID = tenantID
            self.hash = hash
            self.key = key
            self.keyFormat = keyFormat
            self.publicPart = publicPart
            self.keyPrefix = keyPrefix
            self.name = name
            self.description = description
            self.permissions = permissions
            self.rateLimit = rateLimit
            self.expiresAt = expiresAt
            self.createdAt = createdAt
            self.externalID = externalID
            self.metadata = metadata
            self.allowedIPs = allowedIPs
            self.allowBrowser = allowBrowser
            self.disabled = disabled
            self.revokedAt = revokedAt
            self.keyType = keyType
            self.publishableConfig = publishableConfig
            self.allowedOrigins = allowedOrigins
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case hash
            case key
            case keyFormat = "key_format"
            case publicPart = "public_part"
            case keyPrefix = "key_prefix"
            case name
            case description
            case permissions
            case rateLimit = "rate_limit"
            case expiresAt = "expires_at"
            case createdAt = "created_at"
            case externalID = "external_id"
            case metadata
            case allowedIPs = "allowed_ips"
            case allowBrowser = "allow_browser"
            case disabled
            case revokedAt = "revoked_at"
            case keyType
            case publishableConfig
            case allowedOrigins = "allowed_origins"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.hash = try members.decodeIfPresent(KeyHash.self, forKey: .hash)
            self.key = try members.decodeIfPresent(String.self, forKey: .key) ?? ""
            self.keyFormat = try members.decodeIfPresent(String.self, forKey: .keyFormat) ?? ""
            self.publicPart = try members.decodeIfPresent(String.self, forKey: .publicPart) ?? ""
            self.keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.permissions = try members.decodeIfPresent([String].self, forKey: .permissions) ?? []
            self.rateLimit = try members.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt)
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt)
            self.externalID = try members.decodeIfPresent(String.self, forKey: .externalID) ?? ""
            self.metadata = try members.decodeIfPresent([String: JSONValue].self, forKey: .metadata)
            self.allowedIPs = try members.decodeIfPresent([String].self, forKey: .allowedIPs)
            self.allowBrowser = try members.decodeIfPresent(Bool.self, forKey: .allowBrowser)
            self.disabled = try members.decodeIfPresent(Bool.self, forKey: .disabled) ?? false
            self.revokedAt = try members.decodeIfPresent(Date.self, forKey: .revokedAt)
            self.keyType = try members.decodeIfPresent(KeyType.self, forKey: .keyType) ?? .unspecified
            self.publishableConfig = try members.decodeIfPresent(PublishableConfig.self, forKey: .publishableConfig)
            self.allowedOrigins = try members.decodeIfPresent([String].self, forKey: .allowedOrigins)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encodeIfPresent(self.hash, forKey: .hash)
            try members.encode(self.key, forKey: .key, unless: "")
            try members.encode(self.keyFormat, forKey: .keyFormat, unless: "")
            try members.encode(self.publicPart, forKey: .publicPart, unless: "")
            try members.encode(self.keyPrefix, forKey: .keyPrefix, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.permissions, forKey: .permissions, unless: [])
            try members.encodeIfPresent(self.rateLimit, forKey: .rateLimit)
            try members.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
            try members.encodeIfPresent(self.createdAt, forKey: .createdAt)
            try members.encode(self.externalID, forKey: .externalID, unless: "")
            try members.encodeIfPresent(self.metadata, forKey: .metadata)
            try members.encodeIfPresent(self.allowedIPs, forKey: .allowedIPs)
            try members.encodeIfPresent(self.allowBrowser, forKey: .allowBrowser)
            try members.encode(self.disabled, forKey: .disabled, unless: false)
            try members.encodeIfPresent(self.revokedAt, forKey: .revokedAt)
            try members.encode(self.keyType, forKey: .keyType, unless: .unspecified)
            try members.encodeIfPresent(self.publishableConfig, forKey: .publishableConfig)
            try members.encodeIfPresent(self.allowedOrigins, forKey: .allowedOrigins)
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "tenantID": self.tenantID,
                    "hash": self.hash as Any,
                    "key": redacted(self.key),
                    "keyFormat": self.keyFormat,
                    "publicPart": self.publicPart,
                    "keyPrefix": self.keyPrefix,
                    "name": self.name,
                    "description": self.description,
                    "permissions": self.permissions,
                    "rateLimit": self.rateLimit as Any,
                    "expiresAt": self.expiresAt as Any,
                    "createdAt": self.createdAt as Any,
                    "externalID": self.externalID,
                    "metadata": self.metadata as Any,
                    "allowedIPs": self.allowedIPs as Any,
                    "allowBrowser": self.allowBrowser as Any,
                    "disabled": self.disabled,
                    "revokedAt": self.revokedAt as Any,
                    "keyType": self.keyType,
                    "publishableConfig": self.publishableConfig as Any,
                    "allowedOrigins": self.allowedOrigins as Any,
                ],
                displayStyle: .struct
            )
        }
    }

    /// ImportResult is what became of a row.
    public struct ImportResult: Codable, Hashable, Sendable {
        /// Position of the row in the request, from 0.
        public var index: Int
        /// `CREATED`; `EXISTS`: the tenant has the key, which stays as it is; or `REFUSED`: nothing was stored.
        public var status: String
        /// Identifier of the key, `key_...`. Absent of a refused row, and of one that a dry run would create.
        public var keyID: String?
        /// Why the row was refused: the `reason` of an error or a denial. Absent: it was not.
        public var reason: String?
        /// The member of the row at fault, such as `permissions[2]`. Absent: not a single member.
        public var field: String?
        /// The same as a sentence. Absent: the row was not refused.
        public var message: String?

        public init(
            index: Int = 0,
            status: String = "",
            keyID: String? = nil,
            reason: String? = nil,
            field: String? = nil,
            message: String? = nil
        ) {
            self.index = index
            self.status = status
            self.keyID = keyID
            self.reason = reason
            self.field = field
            self.message = message
        }

        enum CodingKeys: String, CodingKey {
            case index
            case status
            case keyID = "key_id"
            case reason
            case field
            case message
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.index = try members.decodeIfPresent(Int.self, forKey: .index) ?? 0
            self.status = try members.decodeIfPresent(String.self, forKey: .status) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
            self.reason = try members.decodeIfPresent(String.self, forKey: .reason)
            self.field = try members.decodeIfPresent(String.self, forKey: .field)
            self.message = try members.decodeIfPresent(String.self, forKey: .message)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.index, forKey: .index, unless: 0)
            try members.encode(self.status, forKey: .status, unless: "")
            try members.encodeIfPresent(self.keyID, forKey: .keyID)
            try members.encodeIfPresent(self.reason, forKey: .reason)
            try members.encodeIfPresent(self.field, forKey: .field)
            try members.encodeIfPresent(self.message, forKey: .message)
        }
    }

    /// ExportedKey is a key with all that another system needs to take it over.
    public struct ExportedKey: Codable, Hashable, Sendable {
        /// The record, with `tenant_id`.
        public var key: ApiKey
        /// The stored digest of the key. Of a key of this service `SHA256`, of the whole key.
        public var hash: KeyHash
        /// The part of an imported key that was not hashed. Absent: the whole key was.
        public var publicPart: String?

        public init(key: ApiKey = ApiKey(), hash: KeyHash = KeyHash(), publicPart: String? = nil) {
            self.key = key
            self.hash = hash
            self.publicPart = publicPart
        }

        enum CodingKeys: String, CodingKey {
            case key
            case hash
            case publicPart = "public_part"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.key = try members.decodeIfPresent(ApiKey.self, forKey: .key) ?? ApiKey()
            self.hash = try members.decodeIfPresent(KeyHash.self, forKey: .hash) ?? KeyHash()
            self.publicPart = try members.decodeIfPresent(String.self, forKey: .publicPart)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.key, forKey: .key, unless: ApiKey())
            try members.encode(self.hash, forKey: .hash, unless: KeyHash())
            try members.encodeIfPresent(self.publicPart, forKey: .publicPart)
        }
    }
}
