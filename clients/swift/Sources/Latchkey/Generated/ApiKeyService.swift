// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// IssuedKey is a key just made. It is the only message that ever holds a key's value.
    public struct IssuedKey: Codable, Hashable, Sendable, CustomReflectable {
        /// Identifier of the new key, `key_...`.
        public var keyID: String
        /// The key's full value, `sk_...` or `pk_...`; if the operator has set a brand, `sk_<brand>_...`. It cannot be
        /// retrieved later. Empty for a key that the caller made (`secret_hash`).
        public var key: String
        /// First characters of the key without its brand, at most 12, for display.
        public var keyPrefix: String
        /// Present, and true, if an earlier call with the same `client_request_id` has made the key: `key` is empty, since
        /// only its hash is stored. Without the first answer the key cannot be used: revoke it and create another, or
        /// rotate it.
        public var alreadyCreated: Bool?

        public init(keyID: String = "", key: String = "", keyPrefix: String = "", alreadyCreated: Bool? = nil) {
            self.keyID = keyID
            self.key = key
            self.keyPrefix = keyPrefix
            self.alreadyCreated = alreadyCreated
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case key
            case keyPrefix = "key_prefix"
            case alreadyCreated = "already_created"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.key = try members.decodeIfPresent(String.self, forKey: .key) ?? ""
            self.keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix) ?? ""
            self.alreadyCreated = try members.decodeIfPresent(Bool.self, forKey: .alreadyCreated)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.key, forKey: .key, unless: "")
            try members.encode(self.keyPrefix, forKey: .keyPrefix, unless: "")
            try members.encodeIfPresent(self.alreadyCreated, forKey: .alreadyCreated)
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "keyID": self.keyID,
                    "key": redacted(self.key),
                    "keyPrefix": self.keyPrefix,
                    "alreadyCreated": self.alreadyCreated as Any,
                ],
                displayStyle: .struct
            )
        }
    }

    /// CreateApiKeyRequest describes the key to make.
    public struct CreateApiKeyRequest: Codable, Hashable, Sendable {
        /// Label, 1 to 128 characters, at least one of them visible. Required.
        public var name: String
        /// Free text, at most 1,024 characters. Default: empty.
        public var description: String
        /// Kind of key. Default: `KEY_TYPE_SECRET`.
        public var keyType: KeyType
        /// Scopes, 1 to 64 after duplicates are removed: `*`, `domain:*` or `domain:action`. Required.
        ///
        /// A publishable key cannot hold a scope that grants anything of `api_keys:*`, `webhooks:*`, `tenants:*`,
        /// `billing:*`, `system:*`, `org:*`, `audit:*`, `usage:*` or `users:impersonate`.
        public var permissions: [String]
        /// Limits. Default: the operator's default for new keys, else unlimited.
        public var rateLimit: RateLimit?
        /// When the key stops working; in the future. Default: never.
        public var expiresAt: Date?
        /// Publishable keys only.
        public var publishableConfig: PublishableConfig?
        /// The tenant's own data about the key: a JSON object of at most 4,096 bytes as JSON, at most 32 levels deep. It
        /// changes no decision, and users' apps can read it with Verify: put no secret into it. Default: nothing.
        public var metadata: [String: JSONValue]?
        /// The tenant's own identifier for what the key belongs to, such as a customer: at most 256 characters. Several
        /// keys may have the same. Default: none.
        public var externalID: String
        /// From where the key may be used: at most 50 IP addresses and CIDRs, such as `203.0.113.0/24` and `2001:db8::1`.
        /// Default: from any address.
        ///
        /// The address is that of the connection, or the one that the proxies of `TRUSTED_PROXIES` report. A request from
        /// an unknown address is denied.
        public var allowedIPs: [String]?
        /// From which web pages the key may be used: at most 50 origins, such as `https://app.example.com`, compared with
        /// the header `Origin` word for word. Default: from any, and without one.
        ///
        /// A request without `Origin` is then denied, as that of an app that is not a web page. Publishable keys only.
        public var allowedOrigins: [String]?
        /// Whether the key may be used in browsers. A request is a browser's if it has `Sec-Fetch-Site`. Default: false.
        /// Secret keys only.
        public var allowBrowser: Bool?
        /// Your own name for this call, so that it can be repeated without a second key.
        ///
        /// Up to 128 characters, unique for each user for 24 hours. The same call within that time returns the first one's
        /// key, without its value; another one is `client_request_id_reused`. Calls are compared by what they mean: the
        /// order of a list, a default that is sent and the offset of an instant do not matter. The header `Idempotency-Key`
        /// does the same. Default empty: each call makes a key.
        public var clientRequestID: String
        /// SHA-256 of a key that you made yourself, as 64 hexadecimal digits: the service then never has the key, and the
        /// answer's `key` is empty.
        ///
        /// Make it with `makeKey` of a client library or with `latchkey keys make`. The service cannot check its form: a
        /// text of another form is never accepted as a key. A hash that a key has already, of any tenant, is
        /// `secret_hash_taken`. A repeated call has the answer of the first one. Secret keys only. Default: the service
        /// makes the key.
        public var secretHash: String?
        /// First 12 characters of the key that you made, without its brand, for display: `sk_` and nine more. Only with
        /// `secret_hash`. Default: `sk_`.
        public var keyPrefix: String?

        public init(
            name: String,
            description: String = "",
            keyType: KeyType = .unspecified,
            permissions: [String],
            rateLimit: RateLimit? = nil,
            expiresAt: Date? = nil,
            publishableConfig: PublishableConfig? = nil,
            metadata: [String: JSONValue]? = nil,
            externalID: String = "",
            allowedIPs: [String]? = nil,
            allowedOrigins: [String]? = nil,
            allowBrowser: Bool? = nil,
            clientRequestID: String = "",
            secretHash: String? = nil,
            keyPrefix: String? = nil
        ) {
            self.name = name
            self.description = description
            self.keyType = keyType
            self.permissions = permissions
            self.rateLimit = rateLimit
            self.expiresAt = expiresAt
            self.publishableConfig = publishableConfig
            self.metadata = metadata
            self.externalID = externalID
            self.allowedIPs = allowedIPs
            self.allowedOrigins = allowedOrigins
            self.allowBrowser = allowBrowser
            self.clientRequestID = clientRequestID
            self.secretHash = secretHash
            self.keyPrefix = keyPrefix
        }

        enum CodingKeys: String, CodingKey {
            case name
            case description
            case keyType
            case permissions
            case rateLimit = "rate_limit"
            case expiresAt = "expires_at"
            case publishableConfig
            case metadata
            case externalID = "external_id"
            case allowedIPs = "allowed_ips"
            case allowedOrigins = "allowed_origins"
            case allowBrowser = "allow_browser"
            case clientRequestID = "client_request_id"
            case secretHash = "secret_hash"
            case keyPrefix = "key_prefix"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.keyType = try members.decodeIfPresent(KeyType.self, forKey: .keyType) ?? .unspecified
            self.permissions = try members.decodeIfPresent([String].self, forKey: .permissions) ?? []
            self.rateLimit = try members.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt)
            self.publishableConfig = try members.decodeIfPresent(PublishableConfig.self, forKey: .publishableConfig)
            self.metadata = try members.decodeIfPresent([String: JSONValue].self, forKey: .metadata)
            self.externalID = try members.decodeIfPresent(String.self, forKey: .externalID) ?? ""
            self.allowedIPs = try members.decodeIfPresent([String].self, forKey: .allowedIPs)
            self.allowedOrigins = try members.decodeIfPresent([String].self, forKey: .allowedOrigins)
            self.allowBrowser = try members.decodeIfPresent(Bool.self, forKey: .allowBrowser)
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
            self.secretHash = try members.decodeIfPresent(String.self, forKey: .secretHash)
            self.keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.keyType, forKey: .keyType, unless: .unspecified)
            try members.encode(self.permissions, forKey: .permissions, unless: [])
            try members.encodeIfPresent(self.rateLimit, forKey: .rateLimit)
            try members.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
            try members.encodeIfPresent(self.publishableConfig, forKey: .publishableConfig)
            try members.encodeIfPresent(self.metadata, forKey: .metadata)
            try members.encode(self.externalID, forKey: .externalID, unless: "")
            try members.encodeIfPresent(self.allowedIPs, forKey: .allowedIPs)
            try members.encodeIfPresent(self.allowedOrigins, forKey: .allowedOrigins)
            try members.encodeIfPresent(self.allowBrowser, forKey: .allowBrowser)
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
            try members.encodeIfPresent(self.secretHash, forKey: .secretHash)
            try members.encodeIfPresent(self.keyPrefix, forKey: .keyPrefix)
        }
    }

    /// CreateApiKeyResponse holds the new key.
    public struct CreateApiKeyResponse: Codable, Hashable, Sendable {
        /// The new key, with its full value.
        public var result: IssuedKey
        /// Warnings about the new key, as sentences. Absent: no warnings.
        ///
        /// It warns of a publishable key whose users could be confused with the users of another issuer of the tenant; of a
        /// publishable key without `publishableConfig.oidc`, which no request can use; and of a `burst_size` that limits
        /// nothing without a cap.
        public var warning: String?

        public init(result: IssuedKey = IssuedKey(), warning: String? = nil) {
            self.result = result
            self.warning = warning
        }

        enum CodingKeys: String, CodingKey {
            case result
            case warning
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(IssuedKey.self, forKey: .result) ?? IssuedKey()
            self.warning = try members.decodeIfPresent(String.self, forKey: .warning)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: IssuedKey())
            try members.encodeIfPresent(self.warning, forKey: .warning)
        }
    }

    /// ListApiKeysRequest names the page to read. The keys of the list have all that the request names.
    public struct ListApiKeysRequest: Codable, Hashable, Sendable {
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of keys in the answer. Default 0: 20. Above 100: 100.
        public var perPage: Int
        /// Only keys of this status. Default: keys of every status.
        public var status: KeyStatus
        /// Only keys with exactly this `external_id`, at most 256 characters. Default: all.
        public var externalID: String
        /// Only keys whose name begins with this text of at most 128 characters; `A` to `Z` are the same as `a` to `z`.
        /// Default: all.
        public var namePrefix: String
        /// Only keys that begin with this text of at most 128 characters, of which those count that `key_prefix` of a key
        /// has. Default: all.
        public var keyPrefix: String
        /// Only keys of this type. Default: keys of both types.
        public var keyType: KeyType
        /// Only keys that have exactly this scope among their `permissions`, at most 256 characters: a wildcard that grants
        /// it is another one. Default: all.
        public var scope: String
        /// The order: `created_at`, the newest key first, or `last_used_at`, the one that was used last first and those
        /// that were never used at the end. Default: `created_at`.
        ///
        /// Uses of the last second may be missing from the order.
        public var sort: String
        /// Only keys that were not used at or after this instant, and were created before it. Default: all.
        ///
        /// Uses of the last second may be missing.
        public var lastUsedBefore: Date?
        /// Only keys whose `expires_at` is before this instant, also those that have expired. Default: all.
        public var expiresBefore: Date?
        /// Only keys that were reported as leaked, whatever their status. Default `false`: all.
        public var leaked: Bool
        /// Only keys that have this text in their `name`, `key_id`, `external_id` or a value of their `metadata`; `A` to
        /// `Z` are the same as `a` to `z`. A text that begins with `sk_` or `pk_` is the beginning of a key instead, as in
        /// `key_prefix`. At most 128 characters. Default: all.
        public var search: String
        /// `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///
        /// The other members must be those of the request before; `per_page` may be left out.
        public var pageToken: String
        /// Only keys that were imported. Default `false`: all.
        public var imported: Bool
        /// Only imported keys of this key format, at most 256 characters. Default: all.
        public var keyFormat: String

        public init(
            page: Int = 0,
            perPage: Int = 0,
            status: KeyStatus = .unspecified,
            externalID: String = "",
            namePrefix: String = "",
            keyPrefix: String = "",
            keyType: KeyType = .unspecified,
            scope: String = "",
            sort: String = "",
            lastUsedBefore: Date? = nil,
            expiresBefore: Date? = nil,
            leaked: Bool = false,
            search: String = "",
            pageToken: String = "",
            imported: Bool = false,
            keyFormat: String = ""
        ) {
            self.page = page
            self.perPage = perPage
            self.status = status
            self.externalID = externalID
            self.namePrefix = namePrefix
            self.keyPrefix = keyPrefix
            self.keyType = keyType
            self.scope = scope
            self.sort = sort
            self.lastUsedBefore = lastUsedBefore
            self.expiresBefore = expiresBefore
            self.leaked = leaked
            self.search = search
            self.pageToken = pageToken
            self.imported = imported
            self.keyFormat = keyFormat
        }

        enum CodingKeys: String, CodingKey {
            case page
            case perPage = "per_page"
            case status
            case externalID = "external_id"
            case namePrefix = "name_prefix"
            case keyPrefix = "key_prefix"
            case keyType
            case scope
            case sort
            case lastUsedBefore = "last_used_before"
            case expiresBefore = "expires_before"
            case leaked
            case search
            case pageToken = "page_token"
            case imported
            case keyFormat = "key_format"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.page = try members.decodeIfPresent(Int.self, forKey: .page) ?? 0
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.status = try members.decodeIfPresent(KeyStatus.self, forKey: .status) ?? .unspecified
            self.externalID = try members.decodeIfPresent(String.self, forKey: .externalID) ?? ""
            self.namePrefix = try members.decodeIfPresent(String.self, forKey: .namePrefix) ?? ""
            self.keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix) ?? ""
            self.keyType = try members.decodeIfPresent(KeyType.self, forKey: .keyType) ?? .unspecified
            self.scope = try members.decodeIfPresent(String.self, forKey: .scope) ?? ""
            self.sort = try members.decodeIfPresent(String.self, forKey: .sort) ?? ""
            self.lastUsedBefore = try members.decodeIfPresent(Date.self, forKey: .lastUsedBefore)
            self.expiresBefore = try members.decodeIfPresent(Date.self, forKey: .expiresBefore)
            self.leaked = try members.decodeIfPresent(Bool.self, forKey: .leaked) ?? false
            self.search = try members.decodeIfPresent(String.self, forKey: .search) ?? ""
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
            self.imported = try members.decodeIfPresent(Bool.self, forKey: .imported) ?? false
            self.keyFormat = try members.decodeIfPresent(String.self, forKey: .keyFormat) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.page, forKey: .page, unless: 0)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.externalID, forKey: .externalID, unless: "")
            try members.encode(self.namePrefix, forKey: .namePrefix, unless: "")
            try members.encode(self.keyPrefix, forKey: .keyPrefix, unless: "")
            try members.encode(self.keyType, forKey: .keyType, unless: .unspecified)
            try members.encode(self.scope, forKey: .scope, unless: "")
            try members.encode(self.sort, forKey: .sort, unless: "")
            try members.encodeIfPresent(self.lastUsedBefore, forKey: .lastUsedBefore)
            try members.encodeIfPresent(self.expiresBefore, forKey: .expiresBefore)
            try members.encode(self.leaked, forKey: .leaked, unless: false)
            try members.encode(self.search, forKey: .search, unless: "")
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
            try members.encode(self.imported, forKey: .imported, unless: false)
            try members.encode(self.keyFormat, forKey: .keyFormat, unless: "")
        }
    }

    /// ListApiKeysResponse is one page of the tenant's keys.
    public struct ListApiKeysResponse: Codable, Hashable, Sendable {
        /// The keys, in the order of `sort`.
        public var keys: [ApiKey]
        /// Where this page stands.
        public var pagination: Pagination
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(keys: [ApiKey] = [], pagination: Pagination = Pagination(), nextPageToken: String = "") {
            self.keys = keys
            self.pagination = pagination
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case keys
            case pagination
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keys = try members.decodeIfPresent([ApiKey].self, forKey: .keys) ?? []
            self.pagination = try members.decodeIfPresent(Pagination.self, forKey: .pagination) ?? Pagination()
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keys, forKey: .keys, unless: [])
            try members.encode(self.pagination, forKey: .pagination, unless: Pagination())
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// GetApiKeyRequest names a key.
    public struct GetApiKeyRequest: Codable, Hashable, Sendable {
        /// Identifier of the key. Required.
        public var keyID: String

        public init(keyID: String) {
            self.keyID = keyID
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
        }
    }

    /// GetApiKeyResponse holds the key's record.
    public struct GetApiKeyResponse: Codable, Hashable, Sendable {
        /// The record.
        public var result: ApiKey

        public init(result: ApiKey = ApiKey()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(ApiKey.self, forKey: .result) ?? ApiKey()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKey())
        }
    }

    /// UpdateApiKeyRequest names a key, new values and which of them to take.
    public struct UpdateApiKeyRequest: Codable, Hashable, Sendable {
        /// Identifier of the key. Required.
        public var keyID: String
        /// New label, 1 to 128 characters, at least one of them visible. It cannot be cleared.
        public var name: String
        /// New description, at most 1,024 characters. Absent: cleared.
        public var description: String
        /// New scopes, 1 to 64. They cannot be cleared.
        public var permissions: [String]
        /// New limits. Absent: unlimited.
        ///
        /// With `rate_limit` in the mask they are replaced as a whole: absent members become 0, and `per_user` is removed.
        /// A member in the mask changes only that member.
        public var rateLimit: RateLimit?
        /// New expiry, in the future. Absent: the key never expires. A rotated key's life cannot be lengthened.
        public var expiresAt: Date?
        /// Fields to change, separated by commas: `name`, `description`, `permissions`, `rate_limit`, `expires_at`,
        /// `metadata`, `external_id`, `allowed_ips`, `allowed_origins`, `allow_browser`; or members of `rate_limit`, such
        /// as `rate_limit.burst_size`, `rate_limit.per_user` or `rate_limit.per_user.burst_size`. Required.
        ///
        /// snake_case and camelCase both name a field. A field that is named but absent is cleared, where it can be. At
        /// most 1,024 characters.
        public var updateMask: String
        /// New metadata, replaced as a whole: a JSON object of at most 4,096 bytes as JSON, at most 32 levels deep. Absent:
        /// none.
        public var metadata: [String: JSONValue]?
        /// New identifier of the tenant's own, at most 256 characters. Absent: none.
        public var externalID: String
        /// From where the key may be used: at most 50 IP addresses and CIDRs, such as `203.0.113.0/24` and `2001:db8::1`.
        /// Absent: from any address.
        ///
        /// The address is that of the connection, or the one that the proxies of `TRUSTED_PROXIES` report. A request from
        /// an unknown address is denied.
        public var allowedIPs: [String]
        /// From which web pages the key may be used: at most 50 origins, such as `https://app.example.com`, compared with
        /// the header `Origin` word for word. Absent: from any, and without one.
        ///
        /// A request without `Origin` is then denied, as that of an app that is not a web page. Publishable keys only.
        public var allowedOrigins: [String]
        /// Whether the key may be used in browsers. A request is a browser's if it has `Sec-Fetch-Site`. Absent: false.
        /// Secret keys only.
        public var allowBrowser: Bool?

        public init(
            keyID: String,
            name: String = "",
            description: String = "",
            permissions: [String] = [],
            rateLimit: RateLimit? = nil,
            expiresAt: Date? = nil,
            updateMask: String,
            metadata: [String: JSONValue]? = nil,
            externalID: String = "",
            allowedIPs: [String] = [],
            allowedOrigins: [String] = [],
            allowBrowser: Bool? = nil
        ) {
            self.keyID = keyID
            self.name = name
            self.description = description
            self.permissions = permissions
            self.rateLimit = rateLimit
            self.expiresAt = expiresAt
            self.updateMask = updateMask
            self.metadata = metadata
            self.externalID = externalID
            self.allowedIPs = allowedIPs
            self.allowedOrigins = allowedOrigins
            self.allowBrowser = allowBrowser
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case name
            case description
            case permissions
            case rateLimit = "rate_limit"
            case expiresAt = "expires_at"
            case updateMask = "update_mask"
            case metadata
            case externalID = "external_id"
            case allowedIPs = "allowed_ips"
            case allowedOrigins = "allowed_origins"
            case allowBrowser = "allow_browser"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.permissions = try members.decodeIfPresent([String].self, forKey: .permissions) ?? []
            self.rateLimit = try members.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt)
            self.updateMask = try members.decodeIfPresent(String.self, forKey: .updateMask) ?? ""
            self.metadata = try members.decodeIfPresent([String: JSONValue].self, forKey: .metadata)
            self.externalID = try members.decodeIfPresent(String.self, forKey: .externalID) ?? ""
            self.allowedIPs = try members.decodeIfPresent([String].self, forKey: .allowedIPs) ?? []
            self.allowedOrigins = try members.decodeIfPresent([String].self, forKey: .allowedOrigins) ?? []
            self.allowBrowser = try members.decodeIfPresent(Bool.self, forKey: .allowBrowser)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.permissions, forKey: .permissions, unless: [])
            try members.encodeIfPresent(self.rateLimit, forKey: .rateLimit)
            try members.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
            try members.encode(self.updateMask, forKey: .updateMask, unless: "")
            try members.encodeIfPresent(self.metadata, forKey: .metadata)
            try members.encode(self.externalID, forKey: .externalID, unless: "")
            try members.encode(self.allowedIPs, forKey: .allowedIPs, unless: [])
            try members.encode(self.allowedOrigins, forKey: .allowedOrigins, unless: [])
            try members.encodeIfPresent(self.allowBrowser, forKey: .allowBrowser)
        }
    }

    /// UpdateApiKeyResponse holds the key's record.
    public struct UpdateApiKeyResponse: Codable, Hashable, Sendable {
        /// The record after the change.
        public var result: ApiKey

        public init(result: ApiKey = ApiKey()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(ApiKey.self, forKey: .result) ?? ApiKey()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKey())
        }
    }

    /// RevokeApiKeyRequest names a key.
    public struct RevokeApiKeyRequest: Codable, Hashable, Sendable {
        /// Identifier of the key. Required.
        public var keyID: String

        public init(keyID: String) {
            self.keyID = keyID
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
        }
    }

    /// RevokeApiKeyResponse holds the key's record.
    public struct RevokeApiKeyResponse: Codable, Hashable, Sendable {
        /// The record after the change.
        public var result: ApiKey

        public init(result: ApiKey = ApiKey()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(ApiKey.self, forKey: .result) ?? ApiKey()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKey())
        }
    }

    /// DisableApiKeyRequest names a key.
    public struct DisableApiKeyRequest: Codable, Hashable, Sendable {
        /// Identifier of the key. Required.
        public var keyID: String

        public init(keyID: String) {
            self.keyID = keyID
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
        }
    }

    /// DisableApiKeyResponse holds the key's record.
    public struct DisableApiKeyResponse: Codable, Hashable, Sendable {
        /// The record after the change.
        public var result: ApiKey

        public init(result: ApiKey = ApiKey()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(ApiKey.self, forKey: .result) ?? ApiKey()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKey())
        }
    }

    /// EnableApiKeyRequest names a key.
    public struct EnableApiKeyRequest: Codable, Hashable, Sendable {
        /// Identifier of the key. Required.
        public var keyID: String

        public init(keyID: String) {
            self.keyID = keyID
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
        }
    }

    /// EnableApiKeyResponse holds the key's record.
    public struct EnableApiKeyResponse: Codable, Hashable, Sendable {
        /// The record after the change.
        public var result: ApiKey

        public init(result: ApiKey = ApiKey()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(ApiKey.self, forKey: .result) ?? ApiKey()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKey())
        }
    }

    /// GetApiKeyUsageRequest names a key, and the period of its series.
    public struct GetApiKeyUsageRequest: Codable, Hashable, Sendable {
        /// Identifier of the key. Required.
        public var keyID: String
        /// The series begins with the step that contains this instant. Default: 24 hours before `to`, or 30 days if the
        /// step is a day. At most 2,400 steps before `to`.
        public var from: Date?
        /// The series ends with the last step that begins before this instant. Default: with the current step.
        public var to: Date?
        /// The length of a step: `hour` or `day`, of UTC. Default: `hour`.
        public var step: String?

        public init(keyID: String, from: Date? = nil, to: Date? = nil, step: String? = nil) {
            self.keyID = keyID
            self.from = from
            self.to = to
            self.step = step
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case from
            case to
            case step
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.from = try members.decodeIfPresent(Date.self, forKey: .from)
            self.to = try members.decodeIfPresent(Date.self, forKey: .to)
            self.step = try members.decodeIfPresent(String.self, forKey: .step)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encodeIfPresent(self.from, forKey: .from)
            try members.encodeIfPresent(self.to, forKey: .to)
            try members.encodeIfPresent(self.step, forKey: .step)
        }
    }

    /// ApiKeyUsage counts the requests that presented a key. `total = successful + failed`, always.
    public struct ApiKeyUsage: Codable, Hashable, Sendable {
        /// Requests with this key. Exact up to 2^53.
        public var totalVerifications: Int64
        /// Requests whose caller was not denied, including those answered with 400 or 415.
        public var successfulVerifications: Int64
        /// Denied requests, and requests with a wrong path or method.
        public var failedVerifications: Int64

        public init(totalVerifications: Int64 = 0, successfulVerifications: Int64 = 0, failedVerifications: Int64 = 0) {
            self.totalVerifications = totalVerifications
            self.successfulVerifications = successfulVerifications
            self.failedVerifications = failedVerifications
        }

        enum CodingKeys: String, CodingKey {
            case totalVerifications = "total_verifications"
            case successfulVerifications = "successful_verifications"
            case failedVerifications = "failed_verifications"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.totalVerifications = try members.decodeIfPresent(Int64.self, forKey: .totalVerifications) ?? 0
            self.successfulVerifications = try members.decodeIfPresent(Int64.self, forKey: .successfulVerifications) ?? 0
            self.failedVerifications = try members.decodeIfPresent(Int64.self, forKey: .failedVerifications) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.totalVerifications, forKey: .totalVerifications, unless: 0)
            try members.encode(self.successfulVerifications, forKey: .successfulVerifications, unless: 0)
            try members.encode(self.failedVerifications, forKey: .failedVerifications, unless: 0)
        }
    }

    /// GetApiKeyUsageResponse holds the counters and, if it was asked for, the series.
    public struct GetApiKeyUsageResponse: Codable, Hashable, Sendable {
        /// The counters since the key was created.
        public var result: ApiKeyUsage
        /// Each step of the period in its order, also those without a use. Absent unless the request has `from`, `to` or
        /// `step`.
        ///
        /// Uses are kept by the hour for `USAGE_DAYS`, 90 by default, and the counters for ever. While all uses of a key
        /// are kept, and the period has them all, they add up to the counters.
        public var series: [UsageStep]?

        public init(result: ApiKeyUsage = ApiKeyUsage(), series: [UsageStep]? = nil) {
            self.result = result
            self.series = series
        }

        enum CodingKeys: String, CodingKey {
            case result
            case series
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(ApiKeyUsage.self, forKey: .result) ?? ApiKeyUsage()
            self.series = try members.decodeIfPresent([UsageStep].self, forKey: .series)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKeyUsage())
            try members.encodeIfPresent(self.series, forKey: .series)
        }
    }

    /// RotateApiKeyRequest names a key and how long it stays valid.
    public struct RotateApiKeyRequest: Codable, Hashable, Sendable {
        /// Identifier of the secret key. Required.
        public var keyID: String
        /// Hours during which the old and the new key are both valid, 0 to 720. Absent: 24. 0: the old key ends at once.
        public var gracePeriodHours: Int?
        /// Your own name for this call, so that it can be repeated, as in CreateApiKeyRequest: the same call within 24
        /// hours returns the first one's successor, without its value. Default empty: a second call is a failed
        /// precondition.
        public var clientRequestID: String

        public init(keyID: String, gracePeriodHours: Int? = nil, clientRequestID: String = "") {
            self.keyID = keyID
            self.gracePeriodHours = gracePeriodHours
            self.clientRequestID = clientRequestID
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case gracePeriodHours = "grace_period_hours"
            case clientRequestID = "client_request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.gracePeriodHours = try members.decodeIfPresent(Int.self, forKey: .gracePeriodHours)
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encodeIfPresent(self.gracePeriodHours, forKey: .gracePeriodHours)
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
        }
    }

    /// RotateApiKeyResponse holds the successor.
    public struct RotateApiKeyResponse: Codable, Hashable, Sendable {
        /// The new key, with its full value.
        public var result: IssuedKey

        public init(result: IssuedKey = IssuedKey()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(IssuedKey.self, forKey: .result) ?? IssuedKey()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: IssuedKey())
        }
    }

    /// ImportApiKeysRequest holds the keys to import.
    public struct ImportApiKeysRequest: Codable, Hashable, Sendable {
        /// The keys, 1 to 1,000. Required.
        ///
        /// The rules of a row are checked for each row, and refuse only the row.
        public var keys: [ImportedRow]
        /// Whether to answer what would become of the rows, and to store nothing. Default: false.
        public var dryRun: Bool

        public init(keys: [ImportedRow], dryRun: Bool = false) {
            self.keys = keys
            self.dryRun = dryRun
        }

        enum CodingKeys: String, CodingKey {
            case keys
            case dryRun = "dry_run"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keys = try members.decodeIfPresent([ImportedRow].self, forKey: .keys) ?? []
            self.dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keys, forKey: .keys, unless: [])
            try members.encode(self.dryRun, forKey: .dryRun, unless: false)
        }
    }

    /// ImportApiKeysResponse says what became of each row.
    public struct ImportApiKeysResponse: Codable, Hashable, Sendable {
        /// The outcomes, in the order of the rows.
        public var results: [ImportResult]
        /// Number of rows with the status `CREATED`.
        public var created: Int
        /// Number of rows with the status `EXISTS`.
        public var exists: Int
        /// Number of rows with the status `REFUSED`.
        public var refused: Int

        public init(results: [ImportResult] = [], created: Int = 0, exists: Int = 0, refused: Int = 0) {
            self.results = results
            self.created = created
            self.exists = exists
            self.refused = refused
        }

        enum CodingKeys: String, CodingKey {
            case results
            case created
            case exists
            case refused
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.results = try members.decodeIfPresent([ImportResult].self, forKey: .results) ?? []
            self.created = try members.decodeIfPresent(Int.self, forKey: .created) ?? 0
            self.exists = try members.decodeIfPresent(Int.self, forKey: .exists) ?? 0
            self.refused = try members.decodeIfPresent(Int.self, forKey: .refused) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.results, forKey: .results, unless: [])
            try members.encode(self.created, forKey: .created, unless: 0)
            try members.encode(self.exists, forKey: .exists, unless: 0)
            try members.encode(self.refused, forKey: .refused, unless: 0)
        }
    }

    /// CheckOidcRequest names a configuration, by exactly one of `oidc` and `key_id`, and a token to check by it.
    public struct CheckOidcRequest: Codable, Hashable, Sendable, CustomReflectable {
        /// A configuration, as for a new key.
        public var oidc: OidcConfig?
        /// Identifier of a publishable key of the tenant.
        public var keyID: String
        /// A user's token, at most 16,384 characters. Default: only the configuration is checked.
        public var token: String

        public init(oidc: OidcConfig? = nil, keyID: String = "", token: String = "") {
            self.oidc = oidc
            self.keyID = keyID
            self.token = token
        }

        enum CodingKeys: String, CodingKey {
            case oidc
            case keyID = "key_id"
            case token
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.oidc = try members.decodeIfPresent(OidcConfig.self, forKey: .oidc)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.token = try members.decodeIfPresent(String.self, forKey: .token) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.oidc, forKey: .oidc)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.token, forKey: .token, unless: "")
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "oidc": self.oidc as Any,
                    "keyID": self.keyID,
                    "token": redacted(self.token),
                ],
                displayStyle: .struct
            )
        }
    }

    /// CheckOidcResponse shows each check.
    public struct CheckOidcResponse: Codable, Hashable, Sendable {
        /// The checks in their order.
        public var steps: [CheckOidcStep]
        /// Whether all of them passed.
        public var passed: Bool

        public init(steps: [CheckOidcStep] = [], passed: Bool = false) {
            self.steps = steps
            self.passed = passed
        }

        enum CodingKeys: String, CodingKey {
            case steps
            case passed
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.steps = try members.decodeIfPresent([CheckOidcStep].self, forKey: .steps) ?? []
            self.passed = try members.decodeIfPresent(Bool.self, forKey: .passed) ?? false
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.steps, forKey: .steps, unless: [])
            try members.encode(self.passed, forKey: .passed, unless: false)
        }
    }

    /// CheckOidcStep is one check.
    public struct CheckOidcStep: Codable, Hashable, Sendable {
        /// Name of the check.
        ///
        /// Of the configuration: `configuration`, `discovery` where `jwksUrl` is absent, `key_set`. Of the token: `form`,
        /// `algorithm`, `signature`, `payload`, `token_type`, `issuer`, `audience`, `times`, `user_id`; where they are
        /// configured, `authorized_party`, `required_claims`, `claim_rules`; for a token with `cnf` `confirmation`. A later
        /// version may have more.
        public var name: String
        /// Whether it passed.
        public var passed: Bool
        /// The expected value, at most 512 characters; empty where `detail` says it.
        public var expected: String
        /// The actual value, at most 512 characters; empty if it is missing.
        public var found: String
        /// The result as a sentence: for a check that fails, the message of the error that requests get.
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

    /// ApiKeyService issues and manages the API keys of the caller's tenant.
    ///
    /// Callers: dashboard users. An API key cannot manage API keys. A key of another tenant is answered exactly like one
    /// that does not exist.
    ///
    /// Callers can give a key only what they may do: create, update, enable and rotate are denied with `insufficient_scope`
    /// unless the caller has every scope of the key as it would then be.
    public struct ApiKeyService: Sendable {
        let caller: HTTPCaller

        /// CreateApiKey makes a secret or a publishable key.
        ///
        /// The answer holds the key's full value, once; only its hash is stored. With `secret_hash` the caller makes the key,
        /// and the service never has it. With `client_request_id` the call can be repeated safely.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - name: Label, 1 to 128 characters, at least one of them visible. Required.
        ///   - description: Free text, at most 1,024 characters. Default: empty.
        ///   - keyType: Kind of key. Default: `KEY_TYPE_SECRET`.
        ///   - permissions: Scopes, 1 to 64 after duplicates are removed: `*`, `domain:*` or `domain:action`. Required. A
        ///     publishable key cannot hold a scope that grants anything of `api_keys:*`, `webhooks:*`, `tenants:*`,
        ///     `billing:*`, `system:*`, `org:*`, `audit:*`, `usage:*` or `users:impersonate`.
        ///   - rateLimit: Limits. Default: the operator's default for new keys, else unlimited.
        ///   - expiresAt: When the key stops working; in the future. Default: never.
        ///   - publishableConfig: Publishable keys only.
        ///   - metadata: The tenant's own data about the key: a JSON object of at most 4,096 bytes as JSON, at most 32 levels
        ///     deep. It changes no decision, and users' apps can read it with Verify: put no secret into it. Default: nothing.
        ///   - externalID: The tenant's own identifier for what the key belongs to, such as a customer: at most 256 characters.
        ///     Several keys may have the same. Default: none.
        ///   - allowedIPs: From where the key may be used: at most 50 IP addresses and CIDRs, such as `203.0.113.0/24` and
        ///     `2001:db8::1`. Default: from any address. The address is that of the connection, or the one that the proxies of
        ///     `TRUSTED_PROXIES` report. A request from an unknown address is denied.
        ///   - allowedOrigins: From which web pages the key may be used: at most 50 origins, such as `https://app.example.com`,
        ///     compared with the header `Origin` word for word. Default: from any, and without one. A request without `Origin`
        ///     is then denied, as that of an app that is not a web page. Publishable keys only.
        ///   - allowBrowser: Whether the key may be used in browsers. A request is a browser's if it has `Sec-Fetch-Site`.
        ///     Default: false. Secret keys only.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated without a second key. Up to 128
        ///     characters, unique for each user for 24 hours. The same call within that time returns the first one's key,
        ///     without its value; another one is `client_request_id_reused`. Calls are compared by what they mean: the order of
        ///     a list, a default that is sent and the offset of an instant do not matter. The header `Idempotency-Key` does the
        ///     same. Default empty: each call makes a key.
        ///   - secretHash: SHA-256 of a key that you made yourself, as 64 hexadecimal digits: the service then never has the
        ///     key, and the answer's `key` is empty. Make it with `makeKey` of a client library or with `latchkey keys make`.
        ///     The service cannot check its form: a text of another form is never accepted as a key. A hash that a key has
        ///     already, of any tenant, is `secret_hash_taken`. A repeated call has the answer of the first one. Secret keys
        ///     only. Default: the service makes the key.
        ///   - keyPrefix: First 12 characters of the key that you made, without its brand, for display: `sk_` and nine more.
        ///     Only with `secret_hash`. Default: `sk_`.
        public func createApiKey(
            name: String,
            description: String = "",
            keyType: KeyType = .unspecified,
            permissions: [String],
            rateLimit: RateLimit? = nil,
            expiresAt: Date? = nil,
            publishableConfig: PublishableConfig? = nil,
            metadata: [String: JSONValue]? = nil,
            externalID: String = "",
            allowedIPs: [String]? = nil,
            allowedOrigins: [String]? = nil,
            allowBrowser: Bool? = nil,
            clientRequestID: String = "",
            secretHash: String? = nil,
            keyPrefix: String? = nil
        ) async throws -> CreateApiKeyResponse {
            try await createApiKey(
                CreateApiKeyRequest(name: name, description: description, keyType: keyType, permissions: permissions, rateLimit: rateLimit, expiresAt: expiresAt, publishableConfig: publishableConfig, metadata: metadata, externalID: externalID, allowedIPs: allowedIPs, allowedOrigins: allowedOrigins, allowBrowser: allowBrowser, clientRequestID: clientRequestID, secretHash: secretHash, keyPrefix: keyPrefix)
            )
        }

        /// CreateApiKey, with a request that was made before.
        public func createApiKey(_ request: CreateApiKeyRequest) async throws -> CreateApiKeyResponse {
            let response: CreateApiKeyResponse = try await caller.call("/api/v1/api-keys/create", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.result.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.keyID) }
            return response
        }

        /// ListApiKeys lists the tenant's keys, all of them or those with what the request names; newest first, or by last use.
        ///
        /// A dashboard user needs `api_keys:read`.
        ///
        /// - Parameters:
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of keys in the answer. Default 0: 20. Above 100: 100.
        ///   - status: Only keys of this status. Default: keys of every status.
        ///   - externalID: Only keys with exactly this `external_id`, at most 256 characters. Default: all.
        ///   - namePrefix: Only keys whose name begins with this text of at most 128 characters; `A` to `Z` are the same as `a`
        ///     to `z`. Default: all.
        ///   - keyPrefix: Only keys that begin with this text of at most 128 characters, of which those count that `key_prefix`
        ///     of a key has. Default: all.
        ///   - keyType: Only keys of this type. Default: keys of both types.
        ///   - scope: Only keys that have exactly this scope among their `permissions`, at most 256 characters: a wildcard that
        ///     grants it is another one. Default: all.
        ///   - sort: The order: `created_at`, the newest key first, or `last_used_at`, the one that was used last first and
        ///     those that were never used at the end. Default: `created_at`. Uses of the last second may be missing from the
        ///     order.
        ///   - lastUsedBefore: Only keys that were not used at or after this instant, and were created before it. Default: all.
        ///     Uses of the last second may be missing.
        ///   - expiresBefore: Only keys whose `expires_at` is before this instant, also those that have expired. Default: all.
        ///   - leaked: Only keys that were reported as leaked, whatever their status. Default `false`: all.
        ///   - search: Only keys that have this text in their `name`, `key_id`, `external_id` or a value of their `metadata`;
        ///     `A` to `Z` are the same as `a` to `z`. A text that begins with `sk_` or `pk_` is the beginning of a key instead,
        ///     as in `key_prefix`. At most 128 characters. Default: all.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        ///   - imported: Only keys that were imported. Default `false`: all.
        ///   - keyFormat: Only imported keys of this key format, at most 256 characters. Default: all.
        public func listApiKeys(
            page: Int = 0,
            perPage: Int = 0,
            status: KeyStatus = .unspecified,
            externalID: String = "",
            namePrefix: String = "",
            keyPrefix: String = "",
            keyType: KeyType = .unspecified,
            scope: String = "",
            sort: String = "",
            lastUsedBefore: Date? = nil,
            expiresBefore: Date? = nil,
            leaked: Bool = false,
            search: String = "",
            pageToken: String = "",
            imported: Bool = false,
            keyFormat: String = ""
        ) async throws -> ListApiKeysResponse {
            try await listApiKeys(
                ListApiKeysRequest(page: page, perPage: perPage, status: status, externalID: externalID, namePrefix: namePrefix, keyPrefix: keyPrefix, keyType: keyType, scope: scope, sort: sort, lastUsedBefore: lastUsedBefore, expiresBefore: expiresBefore, leaked: leaked, search: search, pageToken: pageToken, imported: imported, keyFormat: keyFormat)
            )
        }

        /// ListApiKeys, with a request that was made before.
        public func listApiKeys(_ request: ListApiKeysRequest) async throws -> ListApiKeysResponse {
            try await caller.call("/api/v1/api-keys/list", request, isRepeatable: true)
        }

        /// GetApiKey reads one key's record.
        ///
        /// A dashboard user needs `api_keys:read`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func getApiKey(keyID: String) async throws -> GetApiKeyResponse {
            try await getApiKey(GetApiKeyRequest(keyID: keyID))
        }

        /// GetApiKey, with a request that was made before.
        public func getApiKey(_ request: GetApiKeyRequest) async throws -> GetApiKeyResponse {
            try await caller.call("/api/v1/api-keys/get", request, isRepeatable: true)
        }

        /// UpdateApiKey changes the fields that `update_mask` names, and no other.
        ///
        /// It binds on every replica before the answer is sent. A revoked key cannot be updated.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        ///   - name: New label, 1 to 128 characters, at least one of them visible. It cannot be cleared.
        ///   - description: New description, at most 1,024 characters. Absent: cleared.
        ///   - permissions: New scopes, 1 to 64. They cannot be cleared.
        ///   - rateLimit: New limits. Absent: unlimited. With `rate_limit` in the mask they are replaced as a whole: absent
        ///     members become 0, and `per_user` is removed. A member in the mask changes only that member.
        ///   - expiresAt: New expiry, in the future. Absent: the key never expires. A rotated key's life cannot be lengthened.
        ///   - updateMask: Fields to change, separated by commas: `name`, `description`, `permissions`, `rate_limit`,
        ///     `expires_at`, `metadata`, `external_id`, `allowed_ips`, `allowed_origins`, `allow_browser`; or members of
        ///     `rate_limit`, such as `rate_limit.burst_size`, `rate_limit.per_user` or `rate_limit.per_user.burst_size`.
        ///     Required. snake_case and camelCase both name a field. A field that is named but absent is cleared, where it can
        ///     be. At most 1,024 characters.
        ///   - metadata: New metadata, replaced as a whole: a JSON object of at most 4,096 bytes as JSON, at most 32 levels
        ///     deep. Absent: none.
        ///   - externalID: New identifier of the tenant's own, at most 256 characters. Absent: none.
        ///   - allowedIPs: From where the key may be used: at most 50 IP addresses and CIDRs, such as `203.0.113.0/24` and
        ///     `2001:db8::1`. Absent: from any address. The address is that of the connection, or the one that the proxies of
        ///     `TRUSTED_PROXIES` report. A request from an unknown address is denied.
        ///   - allowedOrigins: From which web pages the key may be used: at most 50 origins, such as `https://app.example.com`,
        ///     compared with the header `Origin` word for word. Absent: from any, and without one. A request without `Origin`
        ///     is then denied, as that of an app that is not a web page. Publishable keys only.
        ///   - allowBrowser: Whether the key may be used in browsers. A request is a browser's if it has `Sec-Fetch-Site`.
        ///     Absent: false. Secret keys only.
        public func updateApiKey(
            keyID: String,
            name: String = "",
            description: String = "",
            permissions: [String] = [],
            rateLimit: RateLimit? = nil,
            expiresAt: Date? = nil,
            updateMask: String,
            metadata: [String: JSONValue]? = nil,
            externalID: String = "",
            allowedIPs: [String] = [],
            allowedOrigins: [String] = [],
            allowBrowser: Bool? = nil
        ) async throws -> UpdateApiKeyResponse {
            try await updateApiKey(
                UpdateApiKeyRequest(keyID: keyID, name: name, description: description, permissions: permissions, rateLimit: rateLimit, expiresAt: expiresAt, updateMask: updateMask, metadata: metadata, externalID: externalID, allowedIPs: allowedIPs, allowedOrigins: allowedOrigins, allowBrowser: allowBrowser)
            )
        }

        /// UpdateApiKey, with a request that was made before.
        public func updateApiKey(_ request: UpdateApiKeyRequest) async throws -> UpdateApiKeyResponse {
            try await caller.call("/api/v1/api-keys/update", request, isRepeatable: false)
        }

        /// RevokeApiKey makes a key unusable at once, on every replica. It cannot be undone.
        ///
        /// Revoking again is harmless and returns the first `revoked_at`.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func revokeApiKey(keyID: String) async throws -> RevokeApiKeyResponse {
            try await revokeApiKey(RevokeApiKeyRequest(keyID: keyID))
        }

        /// RevokeApiKey, with a request that was made before.
        public func revokeApiKey(_ request: RevokeApiKeyRequest) async throws -> RevokeApiKeyResponse {
            try await caller.call("/api/v1/api-keys/revoke", request, isRepeatable: false)
        }

        /// DisableApiKey switches a key off until it is enabled again. Disabling again is harmless.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func disableApiKey(keyID: String) async throws -> DisableApiKeyResponse {
            try await disableApiKey(DisableApiKeyRequest(keyID: keyID))
        }

        /// DisableApiKey, with a request that was made before.
        public func disableApiKey(_ request: DisableApiKeyRequest) async throws -> DisableApiKeyResponse {
            try await caller.call("/api/v1/api-keys/disable", request, isRepeatable: false)
        }

        /// EnableApiKey switches a disabled key on. Enabling an enabled key is harmless; a revoked key cannot be enabled.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func enableApiKey(keyID: String) async throws -> EnableApiKeyResponse {
            try await enableApiKey(EnableApiKeyRequest(keyID: keyID))
        }

        /// EnableApiKey, with a request that was made before.
        public func enableApiKey(_ request: EnableApiKeyRequest) async throws -> EnableApiKeyResponse {
            try await caller.call("/api/v1/api-keys/enable", request, isRepeatable: false)
        }

        /// GetApiKeyUsage reads how often a key was presented, and with what outcome; and when, if it is asked for a period.
        ///
        /// It includes every request whose response was sent before. With any of `from`, `to` and `step` the response has
        /// `series`.
        ///
        /// A dashboard user needs `api_keys:read`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        ///   - from: The series begins with the step that contains this instant. Default: 24 hours before `to`, or 30 days if
        ///     the step is a day. At most 2,400 steps before `to`.
        ///   - to: The series ends with the last step that begins before this instant. Default: with the current step.
        ///   - step: The length of a step: `hour` or `day`, of UTC. Default: `hour`.
        public func getApiKeyUsage(
            keyID: String,
            from: Date? = nil,
            to: Date? = nil,
            step: String? = nil
        ) async throws -> GetApiKeyUsageResponse {
            try await getApiKeyUsage(GetApiKeyUsageRequest(keyID: keyID, from: from, to: to, step: step))
        }

        /// GetApiKeyUsage, with a request that was made before.
        public func getApiKeyUsage(_ request: GetApiKeyUsageRequest) async throws -> GetApiKeyUsageResponse {
            try await caller.call("/api/v1/api-keys/usage", request, isRepeatable: true)
        }

        /// RotateApiKey makes the successor of a secret key; both are valid during the grace period.
        ///
        /// The successor has the same name, description, permissions, limits, expiry, metadata, `external_id`, `allowed_ips`
        /// and `allow_browser`, and spends from the same budget. The old key then expires, at the end of the grace period or at
        /// its own `expires_at`, whichever is sooner. A key is rotated once: of many concurrent rotations exactly one succeeds.
        /// With `client_request_id` the call can be repeated safely.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the secret key. Required.
        ///   - gracePeriodHours: Hours during which the old and the new key are both valid, 0 to 720. Absent: 24. 0: the old
        ///     key ends at once.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated, as in CreateApiKeyRequest: the same
        ///     call within 24 hours returns the first one's successor, without its value. Default empty: a second call is a
        ///     failed precondition.
        public func rotateApiKey(
            keyID: String,
            gracePeriodHours: Int? = nil,
            clientRequestID: String = ""
        ) async throws -> RotateApiKeyResponse {
            try await rotateApiKey(
                RotateApiKeyRequest(keyID: keyID, gracePeriodHours: gracePeriodHours, clientRequestID: clientRequestID)
            )
        }

        /// RotateApiKey, with a request that was made before.
        public func rotateApiKey(_ request: RotateApiKeyRequest) async throws -> RotateApiKeyResponse {
            let response: RotateApiKeyResponse = try await caller.call("/api/v1/api-keys/rotate", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.result.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.keyID) }
            return response
        }

        /// ImportApiKeys takes over keys that another system has issued, so that their holders go on using them.
        ///
        /// Each row has an outcome of its own: a bad row refuses only itself. All is stored before the answer is sent;
        /// repeating a call changes nothing. Rows with `hash` are for key formats that list the caller's tenant: a digest does
        /// not prove that its sender has the key.
        ///
        /// A dashboard user needs `api_keys:admin`.
        ///
        /// - Parameters:
        ///   - keys: The keys, 1 to 1,000. Required. The rules of a row are checked for each row, and refuse only the row.
        ///   - dryRun: Whether to answer what would become of the rows, and to store nothing. Default: false.
        public func importApiKeys(keys: [ImportedRow], dryRun: Bool = false) async throws -> ImportApiKeysResponse {
            try await importApiKeys(ImportApiKeysRequest(keys: keys, dryRun: dryRun))
        }

        /// ImportApiKeys, with a request that was made before.
        public func importApiKeys(_ request: ImportApiKeysRequest) async throws -> ImportApiKeysResponse {
            try await caller.call("/api/v1/api-keys/import", request, isRepeatable: false)
        }

        /// CheckOidc runs the checks of a publishable key's configuration, and of a user's token by it, and shows each of them.
        ///
        /// The checks are the same as for requests, in the same order; checks after a failed one run as far as possible.
        /// Nothing is created, spent or counted, and the token is not logged. The provider's key set is fetched, unless it was
        /// in the last 30 s.
        ///
        /// A dashboard user needs `api_keys:read`.
        ///
        /// - Parameters:
        ///   - oidc: A configuration, as for a new key.
        ///   - keyID: Identifier of a publishable key of the tenant.
        ///   - token: A user's token, at most 16,384 characters. Default: only the configuration is checked.
        public func checkOidc(
            oidc: OidcConfig? = nil,
            keyID: String = "",
            token: String = ""
        ) async throws -> CheckOidcResponse {
            try await checkOidc(CheckOidcRequest(oidc: oidc, keyID: keyID, token: token))
        }

        /// CheckOidc, with a request that was made before.
        public func checkOidc(_ request: CheckOidcRequest) async throws -> CheckOidcResponse {
            try await caller.call("/api/v1/api-keys/check-oidc", request, isRepeatable: false)
        }
    }
}
