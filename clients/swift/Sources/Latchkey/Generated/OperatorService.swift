// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// FindKeysRequest says which keys to find: exactly one of `key_id`, `key_prefix` and `key`.
    public struct FindKeysRequest: Codable, Hashable, Sendable, CustomReflectable {
        /// Identifier of the key.
        public var keyID: String
        /// Beginning of the key, 6 to 39 characters, of which the first 12 are compared. Of an imported key: from the
        /// prefix of its format on, as `key_prefix` of its record shows it.
        public var keyPrefix: String
        /// The whole key. It is not logged.
        public var key: String
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of keys in the answer. Default 0: 20. Above 100: 100.
        public var perPage: Int
        /// `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///
        /// The other members must be those of the request before; `per_page` may be left out.
        public var pageToken: String

        public init(
            keyID: String = "",
            keyPrefix: String = "",
            key: String = "",
            page: Int = 0,
            perPage: Int = 0,
            pageToken: String = ""
        ) {
            self.keyID = keyID
            self.keyPrefix = keyPrefix
            self.key = key
            self.page = page
            self.perPage = perPage
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case keyPrefix = "key_prefix"
            case key
            case page
            case perPage = "per_page"
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix) ?? ""
            self.key = try members.decodeIfPresent(String.self, forKey: .key) ?? ""
            self.page = try members.decodeIfPresent(Int.self, forKey: .page) ?? 0
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.keyPrefix, forKey: .keyPrefix, unless: "")
            try members.encode(self.key, forKey: .key, unless: "")
            try members.encode(self.page, forKey: .page, unless: 0)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "keyID": self.keyID,
                    "keyPrefix": self.keyPrefix,
                    "key": redacted(self.key),
                    "page": self.page,
                    "perPage": self.perPage,
                    "pageToken": self.pageToken,
                ],
                displayStyle: .struct
            )
        }
    }

    /// FindKeysResponse holds the keys that were found.
    public struct FindKeysResponse: Codable, Hashable, Sendable {
        /// The keys with their tenants, newest first.
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

    /// CreateTenantKeyRequest describes the key to make.
    public struct CreateTenantKeyRequest: Codable, Hashable, Sendable {
        /// The tenant that the key is for, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
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
        /// Up to 128 characters, unique in the tenant for the operator's token, or for each user, for 24 hours. The same
        /// call within that time returns the first one's key, without its value; another one is `client_request_id_reused`,
        /// as in CreateApiKeyRequest. Default empty: each call makes a key.
        public var clientRequestID: String
        /// SHA-256 of a key that you made yourself, as in CreateApiKeyRequest. Secret keys only. Default: the service makes
        /// the key.
        public var secretHash: String?
        /// First 12 characters of the key that you made, without its brand, for display: `sk_` and nine more. Only with
        /// `secret_hash`. Default: `sk_`.
        public var keyPrefix: String?

        public init(
            tenantID: String,
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
            self.tenantID = tenantID
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
            case tenantID = "tenant_id"
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
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
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
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
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

    /// CreateTenantKeyResponse holds the new key.
    public struct CreateTenantKeyResponse: Codable, Hashable, Sendable {
        /// The new key, with its full value.
        public var result: IssuedKey
        /// Warnings about the new key, as in CreateApiKey. Absent: no warnings.
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

    /// ListTenantKeysRequest names the tenant and the page to read, as ListApiKeysRequest does.
    public struct ListTenantKeysRequest: Codable, Hashable, Sendable {
        /// The tenant whose keys to list, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
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
            tenantID: String,
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
            self.tenantID = tenantID
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
            case tenantID = "tenant_id"
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
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
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
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
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

    /// ListTenantKeysResponse is one page of the tenant's keys.
    public struct ListTenantKeysResponse: Codable, Hashable, Sendable {
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

    /// GetTenantKeyRequest names a key.
    public struct GetTenantKeyRequest: Codable, Hashable, Sendable {
        /// The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
        /// Identifier of the key. Required.
        public var keyID: String

        public init(tenantID: String, keyID: String) {
            self.tenantID = tenantID
            self.keyID = keyID
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case keyID = "key_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
        }
    }

    /// GetTenantKeyResponse holds the key's record.
    public struct GetTenantKeyResponse: Codable, Hashable, Sendable {
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

    /// UpdateTenantKeyRequest names a key, new values and which of them to take.
    public struct UpdateTenantKeyRequest: Codable, Hashable, Sendable {
        /// The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
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
            tenantID: String,
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
            self.tenantID = tenantID
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
            case tenantID = "tenant_id"
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
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
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
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
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

    /// UpdateTenantKeyResponse holds the key's record.
    public struct UpdateTenantKeyResponse: Codable, Hashable, Sendable {
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

    /// RotateTenantKeyRequest names a key and how long it stays valid.
    public struct RotateTenantKeyRequest: Codable, Hashable, Sendable {
        /// The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
        /// Identifier of the secret key. Required.
        public var keyID: String
        /// Hours during which the old and the new key are both valid, 0 to 720. Absent: 24. 0: the old key ends at once.
        public var gracePeriodHours: Int?
        /// Your own name for this call, so that it can be repeated, as in CreateTenantKeyRequest: the same call within 24
        /// hours returns the first one's successor, without its value. Default empty: a second call is a failed
        /// precondition.
        public var clientRequestID: String

        public init(tenantID: String, keyID: String, gracePeriodHours: Int? = nil, clientRequestID: String = "") {
            self.tenantID = tenantID
            self.keyID = keyID
            self.gracePeriodHours = gracePeriodHours
            self.clientRequestID = clientRequestID
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case keyID = "key_id"
            case gracePeriodHours = "grace_period_hours"
            case clientRequestID = "client_request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.gracePeriodHours = try members.decodeIfPresent(Int.self, forKey: .gracePeriodHours)
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encodeIfPresent(self.gracePeriodHours, forKey: .gracePeriodHours)
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
        }
    }

    /// RotateTenantKeyResponse holds the successor.
    public struct RotateTenantKeyResponse: Codable, Hashable, Sendable {
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

    /// GetTenantKeyUsageRequest names a key, and the period of its series.
    public struct GetTenantKeyUsageRequest: Codable, Hashable, Sendable {
        /// The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
        /// Identifier of the key. Required.
        public var keyID: String
        /// The series begins with the step that contains this instant. Default: 24 hours before `to`, or 30 days if the
        /// step is a day. At most 2,400 steps before `to`.
        public var from: Date?
        /// The series ends with the last step that begins before this instant. Default: with the current step.
        public var to: Date?
        /// The length of a step: `hour` or `day`, of UTC. Default: `hour`.
        public var step: String?

        public init(tenantID: String, keyID: String, from: Date? = nil, to: Date? = nil, step: String? = nil) {
            self.tenantID = tenantID
            self.keyID = keyID
            self.from = from
            self.to = to
            self.step = step
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case keyID = "key_id"
            case from
            case to
            case step
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.from = try members.decodeIfPresent(Date.self, forKey: .from)
            self.to = try members.decodeIfPresent(Date.self, forKey: .to)
            self.step = try members.decodeIfPresent(String.self, forKey: .step)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encodeIfPresent(self.from, forKey: .from)
            try members.encodeIfPresent(self.to, forKey: .to)
            try members.encodeIfPresent(self.step, forKey: .step)
        }
    }

    /// GetTenantKeyUsageResponse holds the counters and, if it was asked for, the series.
    public struct GetTenantKeyUsageResponse: Codable, Hashable, Sendable {
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

    /// DisableKeyRequest names a key.
    public struct DisableKeyRequest: Codable, Hashable, Sendable {
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

    /// DisableKeyResponse holds the key's record.
    public struct DisableKeyResponse: Codable, Hashable, Sendable {
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

    /// EnableKeyRequest names a key.
    public struct EnableKeyRequest: Codable, Hashable, Sendable {
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

    /// EnableKeyResponse holds the key's record.
    public struct EnableKeyResponse: Codable, Hashable, Sendable {
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

    /// RevokeKeyRequest names a key.
    public struct RevokeKeyRequest: Codable, Hashable, Sendable {
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

    /// RevokeKeyResponse holds the key's record.
    public struct RevokeKeyResponse: Codable, Hashable, Sendable {
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

    /// ImportTenantKeysRequest holds the keys to import.
    public struct ImportTenantKeysRequest: Codable, Hashable, Sendable {
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

    /// ImportTenantKeysResponse says what became of each row.
    public struct ImportTenantKeysResponse: Codable, Hashable, Sendable {
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

    /// ExportKeysRequest names the page to read.
    public struct ExportKeysRequest: Codable, Hashable, Sendable {
        /// Maximum number of keys in the answer. Default 0: 100. Above 1,000: 1,000.
        public var perPage: Int
        /// `next_page_token` of the response before. Default: the first page.
        public var pageToken: String

        public init(perPage: Int = 0, pageToken: String = "") {
            self.perPage = perPage
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case perPage = "per_page"
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }
    }

    /// ExportKeysResponse is one page of all keys.
    public struct ExportKeysResponse: Codable, Hashable, Sendable {
        /// The keys, in the order of their creation here.
        public var keys: [ExportedKey]
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(keys: [ExportedKey] = [], nextPageToken: String = "") {
            self.keys = keys
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case keys
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keys = try members.decodeIfPresent([ExportedKey].self, forKey: .keys) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keys, forKey: .keys, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// CreateKeyFormatRequest describes the format, as KeyFormat does.
    public struct CreateKeyFormatRequest: Codable, Hashable, Sendable {
        /// Name of the format, 1 to 64 lower-case letters, digits, `-` and `_`. Required.
        public var keyFormat: String
        /// What every key begins with: at most 32 visible ASCII characters without the comma. Default: nothing.
        public var prefix: String
        /// Minimum length of a key, 16 to 512, with the prefix. Required.
        ///
        /// So many characters follow the prefix that keys have 112 random bits, or 64 where the algorithm has a pepper: 28
        /// of `HEX`, 19 of `BASE62` and `BASE64URL`, 18 of `VISIBLE`.
        public var lengthMin: Int
        /// Maximum length of a key, `length_min` to 512. Required.
        public var lengthMax: Int
        /// The characters behind the prefix. Required.
        public var alphabet: String
        /// Whether the other system compares keys without case: `LOWER` is for `HEX` and `UUID`. Default: `AS_SENT`.
        public var `case`: String
        /// How a key becomes the digest that was stored. Required.
        public var algorithm: String
        /// Name of the pepper in the file of `KEY_PEPPERS_FILE`, at most 64 characters. Required for algorithms that have
        /// one.
        public var pepper: String
        /// What was hashed. Default: `WHOLE`.
        public var hashedPart: String
        /// One visible ASCII character other than the comma. Required for `AFTER_LAST`; keys may have it beside those of
        /// `alphabet`.
        public var separator: String
        /// Whether keys may also come as `Authorization: Bearer <key>`, without `X-API-Key`. Default: false.
        public var bearer: Bool
        /// Tenants whose dashboard users may import keys of the format by their hash: at most 100, of 1 to 256 characters.
        /// Default: none, so that a leaked list of hashes cannot be imported by another tenant first.
        public var tenants: [String]

        public init(
            keyFormat: String,
            prefix: String = "",
            lengthMin: Int,
            lengthMax: Int,
            alphabet: String,
            case: String = "",
            algorithm: String,
            pepper: String = "",
            hashedPart: String = "",
            separator: String = "",
            bearer: Bool = false,
            tenants: [String] = []
        ) {
            self.keyFormat = keyFormat
            self.prefix = prefix
            self.lengthMin = lengthMin
            self.lengthMax = lengthMax
            self.alphabet = alphabet
            self.case = `case`
            self.algorithm = algorithm
            self.pepper = pepper
            self.hashedPart = hashedPart
            self.separator = separator
            self.bearer = bearer
            self.tenants = tenants
        }

        enum CodingKeys: String, CodingKey {
            case keyFormat = "key_format"
            case prefix
            case lengthMin = "length_min"
            case lengthMax = "length_max"
            case alphabet
            case `case`
            case algorithm
            case pepper
            case hashedPart = "hashed_part"
            case separator
            case bearer
            case tenants
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyFormat = try members.decodeIfPresent(String.self, forKey: .keyFormat) ?? ""
            self.prefix = try members.decodeIfPresent(String.self, forKey: .prefix) ?? ""
            self.lengthMin = try members.decodeIfPresent(Int.self, forKey: .lengthMin) ?? 0
            self.lengthMax = try members.decodeIfPresent(Int.self, forKey: .lengthMax) ?? 0
            self.alphabet = try members.decodeIfPresent(String.self, forKey: .alphabet) ?? ""
            self.case = try members.decodeIfPresent(String.self, forKey: .case) ?? ""
            self.algorithm = try members.decodeIfPresent(String.self, forKey: .algorithm) ?? ""
            self.pepper = try members.decodeIfPresent(String.self, forKey: .pepper) ?? ""
            self.hashedPart = try members.decodeIfPresent(String.self, forKey: .hashedPart) ?? ""
            self.separator = try members.decodeIfPresent(String.self, forKey: .separator) ?? ""
            self.bearer = try members.decodeIfPresent(Bool.self, forKey: .bearer) ?? false
            self.tenants = try members.decodeIfPresent([String].self, forKey: .tenants) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyFormat, forKey: .keyFormat, unless: "")
            try members.encode(self.prefix, forKey: .prefix, unless: "")
            try members.encode(self.lengthMin, forKey: .lengthMin, unless: 0)
            try members.encode(self.lengthMax, forKey: .lengthMax, unless: 0)
            try members.encode(self.alphabet, forKey: .alphabet, unless: "")
            try members.encode(self.case, forKey: .case, unless: "")
            try members.encode(self.algorithm, forKey: .algorithm, unless: "")
            try members.encode(self.pepper, forKey: .pepper, unless: "")
            try members.encode(self.hashedPart, forKey: .hashedPart, unless: "")
            try members.encode(self.separator, forKey: .separator, unless: "")
            try members.encode(self.bearer, forKey: .bearer, unless: false)
            try members.encode(self.tenants, forKey: .tenants, unless: [])
        }
    }

    /// CreateKeyFormatResponse holds the new format.
    public struct CreateKeyFormatResponse: Codable, Hashable, Sendable {
        /// The format.
        public var result: KeyFormat

        public init(result: KeyFormat = KeyFormat()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(KeyFormat.self, forKey: .result) ?? KeyFormat()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: KeyFormat())
        }
    }

    /// ListKeyFormatsRequest asks for all formats.
    public struct ListKeyFormatsRequest: Codable, Hashable, Sendable {
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

    /// ListKeyFormatsResponse is all formats.
    public struct ListKeyFormatsResponse: Codable, Hashable, Sendable {
        /// The formats, the oldest first.
        public var formats: [KeyFormat]
        /// Always empty: the list has one page.
        public var nextPageToken: String

        public init(formats: [KeyFormat] = [], nextPageToken: String = "") {
            self.formats = formats
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case formats
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.formats = try members.decodeIfPresent([KeyFormat].self, forKey: .formats) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.formats, forKey: .formats, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// DeleteKeyFormatRequest names a format.
    public struct DeleteKeyFormatRequest: Codable, Hashable, Sendable {
        /// Name of the format. Required.
        public var keyFormat: String

        public init(keyFormat: String) {
            self.keyFormat = keyFormat
        }

        enum CodingKeys: String, CodingKey {
            case keyFormat = "key_format"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyFormat = try members.decodeIfPresent(String.self, forKey: .keyFormat) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyFormat, forKey: .keyFormat, unless: "")
        }
    }

    /// DeleteKeyFormatResponse says nothing: the format is gone.
    public struct DeleteKeyFormatResponse: Codable, Hashable, Sendable {
        public init() {}
    }

    /// Tenant is a customer as the operator sees it.
    public struct Tenant: Codable, Hashable, Sendable {
        /// Identifier of the tenant.
        public var tenantID: String
        /// Name of its organization; empty if the tenant has no organization here.
        public var name: String
        /// Number of its keys, of every status.
        public var keyCount: Int
        /// When it was suspended. Absent: it is not.
        public var suspendedAt: Date?
        /// The operator's reason; empty if not given.
        public var suspensionReason: String

        public init(
            tenantID: String = "",
            name: String = "",
            keyCount: Int = 0,
            suspendedAt: Date? = nil,
            suspensionReason: String = ""
        ) {
            self.tenantID = tenantID
            self.name = name
            self.keyCount = keyCount
            self.suspendedAt = suspendedAt
            self.suspensionReason = suspensionReason
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case name
            case keyCount = "key_count"
            case suspendedAt = "suspended_at"
            case suspensionReason = "suspension_reason"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.keyCount = try members.decodeIfPresent(Int.self, forKey: .keyCount) ?? 0
            self.suspendedAt = try members.decodeIfPresent(Date.self, forKey: .suspendedAt)
            self.suspensionReason = try members.decodeIfPresent(String.self, forKey: .suspensionReason) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.keyCount, forKey: .keyCount, unless: 0)
            try members.encodeIfPresent(self.suspendedAt, forKey: .suspendedAt)
            try members.encode(self.suspensionReason, forKey: .suspensionReason, unless: "")
        }
    }

    /// ListTenantsRequest names the page to read.
    public struct ListTenantsRequest: Codable, Hashable, Sendable {
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of tenants in the answer. Default 0: 20. Above 100: 100.
        public var perPage: Int
        /// Whether to list only suspended tenants. Default: all.
        public var onlySuspended: Bool
        /// `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///
        /// The other members must be those of the request before; `per_page` may be left out.
        public var pageToken: String

        public init(page: Int = 0, perPage: Int = 0, onlySuspended: Bool = false, pageToken: String = "") {
            self.page = page
            self.perPage = perPage
            self.onlySuspended = onlySuspended
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case page
            case perPage = "per_page"
            case onlySuspended = "only_suspended"
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.page = try members.decodeIfPresent(Int.self, forKey: .page) ?? 0
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.onlySuspended = try members.decodeIfPresent(Bool.self, forKey: .onlySuspended) ?? false
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.page, forKey: .page, unless: 0)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.onlySuspended, forKey: .onlySuspended, unless: false)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }
    }

    /// ListTenantsResponse is one page of tenants.
    public struct ListTenantsResponse: Codable, Hashable, Sendable {
        /// The tenants.
        public var tenants: [Tenant]
        /// Where this page stands.
        public var pagination: Pagination
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(tenants: [Tenant] = [], pagination: Pagination = Pagination(), nextPageToken: String = "") {
            self.tenants = tenants
            self.pagination = pagination
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case tenants
            case pagination
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenants = try members.decodeIfPresent([Tenant].self, forKey: .tenants) ?? []
            self.pagination = try members.decodeIfPresent(Pagination.self, forKey: .pagination) ?? Pagination()
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenants, forKey: .tenants, unless: [])
            try members.encode(self.pagination, forKey: .pagination, unless: Pagination())
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// GetTenantRequest names a tenant.
    public struct GetTenantRequest: Codable, Hashable, Sendable {
        /// Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String

        public init(tenantID: String) {
            self.tenantID = tenantID
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
        }
    }

    /// GetTenantResponse holds the tenant.
    public struct GetTenantResponse: Codable, Hashable, Sendable {
        /// The tenant.
        public var result: Tenant

        public init(result: Tenant = Tenant()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Tenant.self, forKey: .result) ?? Tenant()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Tenant())
        }
    }

    /// SuspendTenantRequest names a tenant.
    public struct SuspendTenantRequest: Codable, Hashable, Sendable {
        /// Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
        /// Why, for those who look at it later; at most 1,024 characters. Not shown to the tenant. Default: empty.
        public var reason: String

        public init(tenantID: String, reason: String = "") {
            self.tenantID = tenantID
            self.reason = reason
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case reason
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.reason = try members.decodeIfPresent(String.self, forKey: .reason) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.reason, forKey: .reason, unless: "")
        }
    }

    /// SuspendTenantResponse holds the tenant.
    public struct SuspendTenantResponse: Codable, Hashable, Sendable {
        /// The tenant after the change.
        public var result: Tenant

        public init(result: Tenant = Tenant()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Tenant.self, forKey: .result) ?? Tenant()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Tenant())
        }
    }

    /// ResumeTenantRequest names a tenant.
    public struct ResumeTenantRequest: Codable, Hashable, Sendable {
        /// Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String

        public init(tenantID: String) {
            self.tenantID = tenantID
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
        }
    }

    /// ResumeTenantResponse holds the tenant.
    public struct ResumeTenantResponse: Codable, Hashable, Sendable {
        /// The tenant after the change.
        public var result: Tenant

        public init(result: Tenant = Tenant()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Tenant.self, forKey: .result) ?? Tenant()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Tenant())
        }
    }

    /// EraseUserRequest names a user of a tenant.
    public struct EraseUserRequest: Codable, Hashable, Sendable {
        /// The tenant, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String
        /// The user, as conversations and members name them, 1 to 256 characters. Required.
        public var userID: String
        /// Their identity provider, at most 2,048 characters. Default: of every one.
        ///
        /// It narrows the memberships, and what keys say of who created them. Conversations have a user without an issuer.
        public var issuer: String?

        public init(tenantID: String, userID: String, issuer: String? = nil) {
            self.tenantID = tenantID
            self.userID = userID
            self.issuer = issuer
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case userID = "user_id"
            case issuer
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encodeIfPresent(self.issuer, forKey: .issuer)
        }
    }

    /// EraseUserResponse holds the erasure.
    public struct EraseUserResponse: Codable, Hashable, Sendable {
        /// How far the erasure is.
        public var result: Erasure

        public init(result: Erasure = Erasure()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Erasure.self, forKey: .result) ?? Erasure()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Erasure())
        }
    }

    /// EraseTenantRequest names a tenant.
    public struct EraseTenantRequest: Codable, Hashable, Sendable {
        /// Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public var tenantID: String

        public init(tenantID: String) {
            self.tenantID = tenantID
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
        }
    }

    /// EraseTenantResponse holds the erasure.
    public struct EraseTenantResponse: Codable, Hashable, Sendable {
        /// How far the erasure is.
        public var result: Erasure

        public init(result: Erasure = Erasure()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Erasure.self, forKey: .result) ?? Erasure()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Erasure())
        }
    }

    /// Erasure is the removal of the stored data of a user or a tenant.
    public struct Erasure: Codable, Hashable, Sendable {
        /// Identifier of the erasure, and of the event in the audit trail that says how it ended.
        public var erasureID: String
        /// The tenant.
        public var tenantID: String
        /// The user; empty if the whole tenant is erased.
        public var userID: String
        /// Whether everything is removed. If not, the removal continues in the background.
        public var finished: Bool
        /// The records removed so far.
        public var removed: ErasedRecords

        public init(
            erasureID: String = "",
            tenantID: String = "",
            userID: String = "",
            finished: Bool = false,
            removed: ErasedRecords = ErasedRecords()
        ) {
            self.erasureID = erasureID
            self.tenantID = tenantID
            self.userID = userID
            self.finished = finished
            self.removed = removed
        }

        enum CodingKeys: String, CodingKey {
            case erasureID = "erasure_id"
            case tenantID = "tenant_id"
            case userID = "user_id"
            case finished
            case removed
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.erasureID = try members.decodeIfPresent(String.self, forKey: .erasureID) ?? ""
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.finished = try members.decodeIfPresent(Bool.self, forKey: .finished) ?? false
            self.removed = try members.decodeIfPresent(ErasedRecords.self, forKey: .removed) ?? ErasedRecords()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.erasureID, forKey: .erasureID, unless: "")
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.finished, forKey: .finished, unless: false)
            try members.encode(self.removed, forKey: .removed, unless: ErasedRecords())
        }
    }

    /// ErasedRecords counts what an erasure has removed, by kind.
    public struct ErasedRecords: Codable, Hashable, Sendable {
        /// Conversations.
        public var conversations: Int64
        /// Runs of conversations, also unfinished ones.
        public var runs: Int64
        /// Messages of conversations, of users and of the assistant.
        public var messages: Int64
        /// Identifiers that senders gave to their messages, `client_message_id`.
        public var clientMessageIDs: Int64
        /// Members of the organization, whose email addresses are removed.
        public var members: Int64
        /// Invitations.
        public var invitations: Int64
        /// Identifiers that callers gave to organizations, `client_org_id`.
        public var clientOrgIDs: Int64
        /// Names of organizations.
        public var orgNames: Int64
        /// Keys of which only the hash, the first characters, identifiers and dates are left.
        public var keys: Int64
        /// Keys that named the user in `created_by` or `revoked_by`, which are now absent.
        public var keyActors: Int64
        /// Counters of the uses of keys, in all and by the hour.
        public var keyUsage: Int64
        /// Recent requests, whose decisions RequestService shows.
        public var requests: Int64
        /// Webhooks, with their secrets. Of a user: webhooks that named them in `created_by`, which is now absent.
        public var webhooks: Int64
        /// Events of webhooks, including undelivered ones, with their deliveries. Of a user: events that name them.
        public var webhookEvents: Int64
        /// Access tokens, which are rejected from then on. Of a user: tokens that act for them.
        public var accessTokens: Int64
        /// Rules by which workloads get tokens.
        public var federationRules: Int64

        public init(
            conversations: Int64 = 0,
            runs: Int64 = 0,
            messages: Int64 = 0,
            clientMessageIDs: Int64 = 0,
            members: Int64 = 0,
            invitations: Int64 = 0,
            clientOrgIDs: Int64 = 0,
            orgNames: Int64 = 0,
            keys: Int64 = 0,
            keyActors: Int64 = 0,
            keyUsage: Int64 = 0,
            requests: Int64 = 0,
            webhooks: Int64 = 0,
            webhookEvents: Int64 = 0,
            accessTokens: Int64 = 0,
            federationRules: Int64 = 0
        ) {
            self.conversations = conversations
            self.runs = runs
            self.messages = messages
            self.clientMessageIDs = clientMessageIDs
            self.members = members
            self.invitations = invitations
            self.clientOrgIDs = clientOrgIDs
            self.orgNames = orgNames
            self.keys = keys
            self.keyActors = keyActors
            self.keyUsage = keyUsage
            self.requests = requests
            self.webhooks = webhooks
            self.webhookEvents = webhookEvents
            self.accessTokens = accessTokens
            self.federationRules = federationRules
        }

        enum CodingKeys: String, CodingKey {
            case conversations
            case runs
            case messages
            case clientMessageIDs = "client_message_ids"
            case members
            case invitations
            case clientOrgIDs = "client_org_ids"
            case orgNames = "org_names"
            case keys
            case keyActors = "key_actors"
            case keyUsage = "key_usage"
            case requests
            case webhooks
            case webhookEvents = "webhook_events"
            case accessTokens = "access_tokens"
            case federationRules = "federation_rules"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.conversations = try members.decodeIfPresent(Int64.self, forKey: .conversations) ?? 0
            self.runs = try members.decodeIfPresent(Int64.self, forKey: .runs) ?? 0
            self.messages = try members.decodeIfPresent(Int64.self, forKey: .messages) ?? 0
            self.clientMessageIDs = try members.decodeIfPresent(Int64.self, forKey: .clientMessageIDs) ?? 0
            self.members = try members.decodeIfPresent(Int64.self, forKey: .members) ?? 0
            self.invitations = try members.decodeIfPresent(Int64.self, forKey: .invitations) ?? 0
            self.clientOrgIDs = try members.decodeIfPresent(Int64.self, forKey: .clientOrgIDs) ?? 0
            self.orgNames = try members.decodeIfPresent(Int64.self, forKey: .orgNames) ?? 0
            self.keys = try members.decodeIfPresent(Int64.self, forKey: .keys) ?? 0
            self.keyActors = try members.decodeIfPresent(Int64.self, forKey: .keyActors) ?? 0
            self.keyUsage = try members.decodeIfPresent(Int64.self, forKey: .keyUsage) ?? 0
            self.requests = try members.decodeIfPresent(Int64.self, forKey: .requests) ?? 0
            self.webhooks = try members.decodeIfPresent(Int64.self, forKey: .webhooks) ?? 0
            self.webhookEvents = try members.decodeIfPresent(Int64.self, forKey: .webhookEvents) ?? 0
            self.accessTokens = try members.decodeIfPresent(Int64.self, forKey: .accessTokens) ?? 0
            self.federationRules = try members.decodeIfPresent(Int64.self, forKey: .federationRules) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.conversations, forKey: .conversations, unless: 0)
            try members.encode(self.runs, forKey: .runs, unless: 0)
            try members.encode(self.messages, forKey: .messages, unless: 0)
            try members.encode(self.clientMessageIDs, forKey: .clientMessageIDs, unless: 0)
            try members.encode(self.members, forKey: .members, unless: 0)
            try members.encode(self.invitations, forKey: .invitations, unless: 0)
            try members.encode(self.clientOrgIDs, forKey: .clientOrgIDs, unless: 0)
            try members.encode(self.orgNames, forKey: .orgNames, unless: 0)
            try members.encode(self.keys, forKey: .keys, unless: 0)
            try members.encode(self.keyActors, forKey: .keyActors, unless: 0)
            try members.encode(self.keyUsage, forKey: .keyUsage, unless: 0)
            try members.encode(self.requests, forKey: .requests, unless: 0)
            try members.encode(self.webhooks, forKey: .webhooks, unless: 0)
            try members.encode(self.webhookEvents, forKey: .webhookEvents, unless: 0)
            try members.encode(self.accessTokens, forKey: .accessTokens, unless: 0)
            try members.encode(self.federationRules, forKey: .federationRules, unless: 0)
        }
    }

    /// ListTenantsEventsRequest says which events to list. All members are optional.
    public struct ListTenantsEventsRequest: Codable, Hashable, Sendable {
        /// Events of this tenant. Default: of all, and of calls without one.
        public var tenantID: String
        /// `next_page_token` of the response before. Default: from the newest event on.
        ///
        /// The other members must be those of the request before.
        public var pageToken: String
        /// Maximum number of events in the response. Default 0: 20. Above 100: 100.
        public var perPage: Int
        /// Events at or after this instant. Default: all.
        public var from: Date?
        /// Events before this instant. Default: all.
        public var to: Date?
        /// Events of this actor: the `user_id` of a dashboard user, the `key_id` of a key, or `operator`. Default: all.
        public var actorID: String
        /// Events of this action. Default: all.
        public var action: String
        /// Events about this key, organization, invitation, user or tenant. Default: all.
        public var targetID: String
        /// Events of this request: the `request_id` of an event, and the header `X-Request-Id` of its response. Default:
        /// all.
        public var requestID: String

        public init(
            tenantID: String = "",
            pageToken: String = "",
            perPage: Int = 0,
            from: Date? = nil,
            to: Date? = nil,
            actorID: String = "",
            action: String = "",
            targetID: String = "",
            requestID: String = ""
        ) {
            self.tenantID = tenantID
            self.pageToken = pageToken
            self.perPage = perPage
            self.from = from
            self.to = to
            self.actorID = actorID
            self.action = action
            self.targetID = targetID
            self.requestID = requestID
        }

        enum CodingKeys: String, CodingKey {
            case tenantID = "tenant_id"
            case pageToken = "page_token"
            case perPage = "per_page"
            case from
            case to
            case actorID = "actor_id"
            case action
            case targetID = "target_id"
            case requestID = "request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.from = try members.decodeIfPresent(Date.self, forKey: .from)
            self.to = try members.decodeIfPresent(Date.self, forKey: .to)
            self.actorID = try members.decodeIfPresent(String.self, forKey: .actorID) ?? ""
            self.action = try members.decodeIfPresent(String.self, forKey: .action) ?? ""
            self.targetID = try members.decodeIfPresent(String.self, forKey: .targetID) ?? ""
            self.requestID = try members.decodeIfPresent(String.self, forKey: .requestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encodeIfPresent(self.from, forKey: .from)
            try members.encodeIfPresent(self.to, forKey: .to)
            try members.encode(self.actorID, forKey: .actorID, unless: "")
            try members.encode(self.action, forKey: .action, unless: "")
            try members.encode(self.targetID, forKey: .targetID, unless: "")
            try members.encode(self.requestID, forKey: .requestID, unless: "")
        }
    }

    /// ListTenantsEventsResponse is one page of events.
    public struct ListTenantsEventsResponse: Codable, Hashable, Sendable {
        /// The events with their tenants, newest first.
        public var events: [AuditEvent]
        /// Names the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(events: [AuditEvent] = [], nextPageToken: String = "") {
            self.events = events
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case events
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.events = try members.decodeIfPresent([AuditEvent].self, forKey: .events) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.events, forKey: .events, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// ExplainAnyRequestRequest names a request.
    public struct ExplainAnyRequestRequest: Codable, Hashable, Sendable {
        /// `X-Request-Id` of the request. Of several with the same, the newest is explained. Required.
        public var requestID: String

        public init(requestID: String) {
            self.requestID = requestID
        }

        enum CodingKeys: String, CodingKey {
            case requestID = "request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.requestID = try members.decodeIfPresent(String.self, forKey: .requestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.requestID, forKey: .requestID, unless: "")
        }
    }

    /// ExplainAnyRequestResponse holds the explanation.
    public struct ExplainAnyRequestResponse: Codable, Hashable, Sendable {
        /// How the request was decided, with its tenant.
        public var result: RequestExplanation

        public init(result: RequestExplanation = RequestExplanation()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(RequestExplanation.self, forKey: .result) ?? RequestExplanation()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: RequestExplanation())
        }
    }

    /// OperatorService is for those who run the service: keys and tenants of all customers.
    ///
    /// Callers: the operator's token, `Authorization: Bearer <OPERATOR_TOKEN>`, and dashboard users of the operator's own
    /// tenant with `system:*`. Every use of the token is logged.
    public struct OperatorService: Sendable {
        let caller: HTTPCaller

        /// FindKeys finds keys of all tenants: by an identifier, by the beginning of a key, or by a whole key.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key.
        ///   - keyPrefix: Beginning of the key, 6 to 39 characters, of which the first 12 are compared. Of an imported key:
        ///     from the prefix of its format on, as `key_prefix` of its record shows it.
        ///   - key: The whole key. It is not logged.
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of keys in the answer. Default 0: 20. Above 100: 100.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        public func findKeys(
            keyID: String = "",
            keyPrefix: String = "",
            key: String = "",
            page: Int = 0,
            perPage: Int = 0,
            pageToken: String = ""
        ) async throws -> FindKeysResponse {
            try await findKeys(
                FindKeysRequest(keyID: keyID, keyPrefix: keyPrefix, key: key, page: page, perPage: perPage, pageToken: pageToken)
            )
        }

        /// FindKeys, with a request that was made before.
        public func findKeys(_ request: FindKeysRequest) async throws -> FindKeysResponse {
            try await caller.call("/api/v1/operator/keys/find", request, isRepeatable: true)
        }

        /// CreateTenantKey makes a key of any tenant, for example the first of a deployment. The tenant need not be known. One
        /// that was erased must be resumed first: 400 `failed_precondition`.
        ///
        /// The answer holds the key's full value, once; only its hash is stored. With `client_request_id` the call can be
        /// repeated safely.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant that the key is for, 1 to 256 characters, at least one of them visible. Required.
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
        ///     characters, unique in the tenant for the operator's token, or for each user, for 24 hours. The same call within
        ///     that time returns the first one's key, without its value; another one is `client_request_id_reused`, as in
        ///     CreateApiKeyRequest. Default empty: each call makes a key.
        ///   - secretHash: SHA-256 of a key that you made yourself, as in CreateApiKeyRequest. Secret keys only. Default: the
        ///     service makes the key.
        ///   - keyPrefix: First 12 characters of the key that you made, without its brand, for display: `sk_` and nine more.
        ///     Only with `secret_hash`. Default: `sk_`.
        public func createTenantKey(
            tenantID: String,
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
        ) async throws -> CreateTenantKeyResponse {
            try await createTenantKey(
                CreateTenantKeyRequest(tenantID: tenantID, name: name, description: description, keyType: keyType, permissions: permissions, rateLimit: rateLimit, expiresAt: expiresAt, publishableConfig: publishableConfig, metadata: metadata, externalID: externalID, allowedIPs: allowedIPs, allowedOrigins: allowedOrigins, allowBrowser: allowBrowser, clientRequestID: clientRequestID, secretHash: secretHash, keyPrefix: keyPrefix)
            )
        }

        /// CreateTenantKey, with a request that was made before.
        public func createTenantKey(_ request: CreateTenantKeyRequest) async throws -> CreateTenantKeyResponse {
            let response: CreateTenantKeyResponse = try await caller.call("/api/v1/operator/keys/create", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.result.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.keyID) }
            return response
        }

        /// ListTenantKeys lists the keys of one tenant, as ListApiKeys does for its users.
        ///
        /// The list of an unknown tenant is empty.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant whose keys to list, 1 to 256 characters, at least one of them visible. Required.
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
        public func listTenantKeys(
            tenantID: String,
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
        ) async throws -> ListTenantKeysResponse {
            try await listTenantKeys(
                ListTenantKeysRequest(tenantID: tenantID, page: page, perPage: perPage, status: status, externalID: externalID, namePrefix: namePrefix, keyPrefix: keyPrefix, keyType: keyType, scope: scope, sort: sort, lastUsedBefore: lastUsedBefore, expiresBefore: expiresBefore, leaked: leaked, search: search, pageToken: pageToken, imported: imported, keyFormat: keyFormat)
            )
        }

        /// ListTenantKeys, with a request that was made before.
        public func listTenantKeys(_ request: ListTenantKeysRequest) async throws -> ListTenantKeysResponse {
            try await caller.call("/api/v1/operator/keys/list", request, isRepeatable: true)
        }

        /// GetTenantKey reads one key's record, as GetApiKey does. A key of another tenant is 404.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        ///   - keyID: Identifier of the key. Required.
        public func getTenantKey(tenantID: String, keyID: String) async throws -> GetTenantKeyResponse {
            try await getTenantKey(GetTenantKeyRequest(tenantID: tenantID, keyID: keyID))
        }

        /// GetTenantKey, with a request that was made before.
        public func getTenantKey(_ request: GetTenantKeyRequest) async throws -> GetTenantKeyResponse {
            try await caller.call("/api/v1/operator/keys/get", request, isRepeatable: true)
        }

        /// UpdateTenantKey changes the fields of a tenant's key that `update_mask` names, as UpdateApiKey does.
        ///
        /// It binds on every replica before the answer is sent. The tenant's rules for keys hold here, too.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
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
        public func updateTenantKey(
            tenantID: String,
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
        ) async throws -> UpdateTenantKeyResponse {
            try await updateTenantKey(
                UpdateTenantKeyRequest(tenantID: tenantID, keyID: keyID, name: name, description: description, permissions: permissions, rateLimit: rateLimit, expiresAt: expiresAt, updateMask: updateMask, metadata: metadata, externalID: externalID, allowedIPs: allowedIPs, allowedOrigins: allowedOrigins, allowBrowser: allowBrowser)
            )
        }

        /// UpdateTenantKey, with a request that was made before.
        public func updateTenantKey(_ request: UpdateTenantKeyRequest) async throws -> UpdateTenantKeyResponse {
            try await caller.call("/api/v1/operator/keys/update", request, isRepeatable: false)
        }

        /// RotateTenantKey makes the successor of a tenant's secret key, as RotateApiKey does.
        ///
        /// The answer holds the successor's full value, once. With `client_request_id` the call can be repeated safely.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        ///   - keyID: Identifier of the secret key. Required.
        ///   - gracePeriodHours: Hours during which the old and the new key are both valid, 0 to 720. Absent: 24. 0: the old
        ///     key ends at once.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated, as in CreateTenantKeyRequest: the same
        ///     call within 24 hours returns the first one's successor, without its value. Default empty: a second call is a
        ///     failed precondition.
        public func rotateTenantKey(
            tenantID: String,
            keyID: String,
            gracePeriodHours: Int? = nil,
            clientRequestID: String = ""
        ) async throws -> RotateTenantKeyResponse {
            try await rotateTenantKey(
                RotateTenantKeyRequest(tenantID: tenantID, keyID: keyID, gracePeriodHours: gracePeriodHours, clientRequestID: clientRequestID)
            )
        }

        /// RotateTenantKey, with a request that was made before.
        public func rotateTenantKey(_ request: RotateTenantKeyRequest) async throws -> RotateTenantKeyResponse {
            let response: RotateTenantKeyResponse = try await caller.call("/api/v1/operator/keys/rotate", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.result.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.keyID) }
            return response
        }

        /// GetTenantKeyUsage reads how often a tenant's key was presented, and with what outcome, as GetApiKeyUsage does.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant that the key belongs to, 1 to 256 characters, at least one of them visible. Required.
        ///   - keyID: Identifier of the key. Required.
        ///   - from: The series begins with the step that contains this instant. Default: 24 hours before `to`, or 30 days if
        ///     the step is a day. At most 2,400 steps before `to`.
        ///   - to: The series ends with the last step that begins before this instant. Default: with the current step.
        ///   - step: The length of a step: `hour` or `day`, of UTC. Default: `hour`.
        public func getTenantKeyUsage(
            tenantID: String,
            keyID: String,
            from: Date? = nil,
            to: Date? = nil,
            step: String? = nil
        ) async throws -> GetTenantKeyUsageResponse {
            try await getTenantKeyUsage(GetTenantKeyUsageRequest(tenantID: tenantID, keyID: keyID, from: from, to: to, step: step))
        }

        /// GetTenantKeyUsage, with a request that was made before.
        public func getTenantKeyUsage(_ request: GetTenantKeyUsageRequest) async throws -> GetTenantKeyUsageResponse {
            try await caller.call("/api/v1/operator/keys/usage", request, isRepeatable: true)
        }

        /// DisableKey switches a key of any tenant off until it is enabled again. Disabling again is harmless.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func disableKey(keyID: String) async throws -> DisableKeyResponse {
            try await disableKey(DisableKeyRequest(keyID: keyID))
        }

        /// DisableKey, with a request that was made before.
        public func disableKey(_ request: DisableKeyRequest) async throws -> DisableKeyResponse {
            try await caller.call("/api/v1/operator/keys/disable", request, isRepeatable: false)
        }

        /// EnableKey switches a disabled key of any tenant on. Enabling an enabled key is harmless; a revoked key cannot be
        /// enabled.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func enableKey(keyID: String) async throws -> EnableKeyResponse {
            try await enableKey(EnableKeyRequest(keyID: keyID))
        }

        /// EnableKey, with a request that was made before.
        public func enableKey(_ request: EnableKeyRequest) async throws -> EnableKeyResponse {
            try await caller.call("/api/v1/operator/keys/enable", request, isRepeatable: false)
        }

        /// RevokeKey makes a key of any tenant unusable at once, on every replica. It cannot be undone.
        ///
        /// Revoking again is harmless and returns the first `revoked_at`.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keyID: Identifier of the key. Required.
        public func revokeKey(keyID: String) async throws -> RevokeKeyResponse {
            try await revokeKey(RevokeKeyRequest(keyID: keyID))
        }

        /// RevokeKey, with a request that was made before.
        public func revokeKey(_ request: RevokeKeyRequest) async throws -> RevokeKeyResponse {
            try await caller.call("/api/v1/operator/keys/revoke", request, isRepeatable: false)
        }

        /// ImportTenantKeys takes over keys of any tenants that another system has issued, as ImportApiKeys does for one. Each
        /// row has `tenant_id`, and may have `hash` for every key format.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keys: The keys, 1 to 1,000. Required. The rules of a row are checked for each row, and refuse only the row.
        ///   - dryRun: Whether to answer what would become of the rows, and to store nothing. Default: false.
        public func importTenantKeys(keys: [ImportedRow], dryRun: Bool = false) async throws -> ImportTenantKeysResponse {
            try await importTenantKeys(ImportTenantKeysRequest(keys: keys, dryRun: dryRun))
        }

        /// ImportTenantKeys, with a request that was made before.
        public func importTenantKeys(_ request: ImportTenantKeysRequest) async throws -> ImportTenantKeysResponse {
            try await caller.call("/api/v1/operator/keys/import", request, isRepeatable: false)
        }

        /// ExportKeys reads the keys of all tenants with their hashes, so that another system, or another deployment, can take
        /// them over.
        ///
        /// The oldest come first, and keys of erased tenants are left out. Keys that are created meanwhile are on the last
        /// pages. Every call is in the audit trail.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - perPage: Maximum number of keys in the answer. Default 0: 100. Above 1,000: 1,000.
        ///   - pageToken: `next_page_token` of the response before. Default: the first page.
        public func exportKeys(perPage: Int = 0, pageToken: String = "") async throws -> ExportKeysResponse {
            try await exportKeys(ExportKeysRequest(perPage: perPage, pageToken: pageToken))
        }

        /// ExportKeys, with a request that was made before.
        public func exportKeys(_ request: ExportKeysRequest) async throws -> ExportKeysResponse {
            try await caller.call("/api/v1/operator/keys/export", request, isRepeatable: false)
        }

        /// CreateKeyFormat declares what the keys of another system look like. There are at most 32 formats.
        ///
        /// It binds on every replica before the answer is sent. A format that shares a text with another one is 400
        /// `failed_precondition`.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keyFormat: Name of the format, 1 to 64 lower-case letters, digits, `-` and `_`. Required.
        ///   - prefix: What every key begins with: at most 32 visible ASCII characters without the comma. Default: nothing.
        ///   - lengthMin: Minimum length of a key, 16 to 512, with the prefix. Required. So many characters follow the prefix
        ///     that keys have 112 random bits, or 64 where the algorithm has a pepper: 28 of `HEX`, 19 of `BASE62` and
        ///     `BASE64URL`, 18 of `VISIBLE`.
        ///   - lengthMax: Maximum length of a key, `length_min` to 512. Required.
        ///   - alphabet: The characters behind the prefix. Required.
        ///   - case: Whether the other system compares keys without case: `LOWER` is for `HEX` and `UUID`. Default: `AS_SENT`.
        ///   - algorithm: How a key becomes the digest that was stored. Required.
        ///   - pepper: Name of the pepper in the file of `KEY_PEPPERS_FILE`, at most 64 characters. Required for algorithms
        ///     that have one.
        ///   - hashedPart: What was hashed. Default: `WHOLE`.
        ///   - separator: One visible ASCII character other than the comma. Required for `AFTER_LAST`; keys may have it beside
        ///     those of `alphabet`.
        ///   - bearer: Whether keys may also come as `Authorization: Bearer <key>`, without `X-API-Key`. Default: false.
        ///   - tenants: Tenants whose dashboard users may import keys of the format by their hash: at most 100, of 1 to 256
        ///     characters. Default: none, so that a leaked list of hashes cannot be imported by another tenant first.
        public func createKeyFormat(
            keyFormat: String,
            prefix: String = "",
            lengthMin: Int,
            lengthMax: Int,
            alphabet: String,
            case: String = "",
            algorithm: String,
            pepper: String = "",
            hashedPart: String = "",
            separator: String = "",
            bearer: Bool = false,
            tenants: [String] = []
        ) async throws -> CreateKeyFormatResponse {
            try await createKeyFormat(
                CreateKeyFormatRequest(keyFormat: keyFormat, prefix: prefix, lengthMin: lengthMin, lengthMax: lengthMax, alphabet: alphabet, case: `case`, algorithm: algorithm, pepper: pepper, hashedPart: hashedPart, separator: separator, bearer: bearer, tenants: tenants)
            )
        }

        /// CreateKeyFormat, with a request that was made before.
        public func createKeyFormat(_ request: CreateKeyFormatRequest) async throws -> CreateKeyFormatResponse {
            try await caller.call("/api/v1/operator/key-formats/create", request, isRepeatable: false)
        }

        /// ListKeyFormats lists all formats, the oldest first.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - pageToken: Takes only the empty text: the response is the whole list. It is there because every list has it.
        public func listKeyFormats(pageToken: String = "") async throws -> ListKeyFormatsResponse {
            try await listKeyFormats(ListKeyFormatsRequest(pageToken: pageToken))
        }

        /// ListKeyFormats, with a request that was made before.
        public func listKeyFormats(_ request: ListKeyFormatsRequest) async throws -> ListKeyFormatsResponse {
            try await caller.call("/api/v1/operator/key-formats/list", request, isRepeatable: true)
        }

        /// DeleteKeyFormat removes a format, on every replica before the answer is sent. Deleting again is 404.
        ///
        /// While a key of the format is neither expired nor revoked, it is 400 `failed_precondition`.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - keyFormat: Name of the format. Required.
        public func deleteKeyFormat(keyFormat: String) async throws -> DeleteKeyFormatResponse {
            try await deleteKeyFormat(DeleteKeyFormatRequest(keyFormat: keyFormat))
        }

        /// DeleteKeyFormat, with a request that was made before.
        public func deleteKeyFormat(_ request: DeleteKeyFormatRequest) async throws -> DeleteKeyFormatResponse {
            try await caller.call("/api/v1/operator/key-formats/delete", request, isRepeatable: false)
        }

        /// ListTenants lists all tenants that have an organization, a key or a suspension, in the order of their identifiers.
        ///
        /// A tenant that occurs only in users' tokens is not listed.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of tenants in the answer. Default 0: 20. Above 100: 100.
        ///   - onlySuspended: Whether to list only suspended tenants. Default: all.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        public func listTenants(
            page: Int = 0,
            perPage: Int = 0,
            onlySuspended: Bool = false,
            pageToken: String = ""
        ) async throws -> ListTenantsResponse {
            try await listTenants(
                ListTenantsRequest(page: page, perPage: perPage, onlySuspended: onlySuspended, pageToken: pageToken)
            )
        }

        /// ListTenants, with a request that was made before.
        public func listTenants(_ request: ListTenantsRequest) async throws -> ListTenantsResponse {
            try await caller.call("/api/v1/operator/tenants/list", request, isRepeatable: true)
        }

        /// GetTenant reads a tenant that has an organization, a key or a suspension.
        ///
        /// Any other tenant is 404. A tenant needs no creation: it begins with its first key or organization.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public func getTenant(tenantID: String) async throws -> GetTenantResponse {
            try await getTenant(GetTenantRequest(tenantID: tenantID))
        }

        /// GetTenant, with a request that was made before.
        public func getTenant(_ request: GetTenantRequest) async throws -> GetTenantResponse {
            try await caller.call("/api/v1/operator/tenants/get", request, isRepeatable: true)
        }

        /// SuspendTenant refuses all requests of a tenant until it is resumed, on every replica, before the answer is sent.
        ///
        /// Its keys are denied with `api_key_disabled`, its dashboard users with `tenant_suspended`. Suspending again is
        /// harmless and changes nothing. The tenant need not be known. The operator's own tenant cannot be suspended.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        ///   - reason: Why, for those who look at it later; at most 1,024 characters. Not shown to the tenant. Default: empty.
        public func suspendTenant(tenantID: String, reason: String = "") async throws -> SuspendTenantResponse {
            try await suspendTenant(SuspendTenantRequest(tenantID: tenantID, reason: reason))
        }

        /// SuspendTenant, with a request that was made before.
        public func suspendTenant(_ request: SuspendTenantRequest) async throws -> SuspendTenantResponse {
            try await caller.call("/api/v1/operator/tenants/suspend", request, isRepeatable: false)
        }

        /// ResumeTenant ends the suspension of a tenant. Resuming a tenant that is not suspended is harmless.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public func resumeTenant(tenantID: String) async throws -> ResumeTenantResponse {
            try await resumeTenant(ResumeTenantRequest(tenantID: tenantID))
        }

        /// ResumeTenant, with a request that was made before.
        public func resumeTenant(_ request: ResumeTenantRequest) async throws -> ResumeTenantResponse {
            try await caller.call("/api/v1/operator/tenants/resume", request, isRepeatable: false)
        }

        /// EraseUser removes what is stored of a user of one tenant: conversations, membership and email address.
        ///
        /// The response comes when all is removed, or after 10 s with `finished: false`; the rest is then removed in the
        /// background, also after a restart. Calling again continues the same erasure, and returns how far it is. One event of
        /// the audit trail says how much was removed. The last owner of an organization cannot be erased: 400
        /// `failed_precondition`.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: The tenant, 1 to 256 characters, at least one of them visible. Required.
        ///   - userID: The user, as conversations and members name them, 1 to 256 characters. Required.
        ///   - issuer: Their identity provider, at most 2,048 characters. Default: of every one. It narrows the memberships,
        ///     and what keys say of who created them. Conversations have a user without an issuer.
        public func eraseUser(tenantID: String, userID: String, issuer: String? = nil) async throws -> EraseUserResponse {
            try await eraseUser(EraseUserRequest(tenantID: tenantID, userID: userID, issuer: issuer))
        }

        /// EraseUser, with a request that was made before.
        public func eraseUser(_ request: EraseUserRequest) async throws -> EraseUserResponse {
            try await caller.call("/api/v1/operator/users/erase", request, isRepeatable: false)
        }

        /// EraseTenant suspends a tenant, revokes its keys, and removes all that is stored of it but what keeps its keys
        /// denied.
        ///
        /// It returns as EraseUser does. The tenant stays suspended, and cannot be resumed before the erasure is finished. Of
        /// each key the hash, its first characters, identifiers and dates stay, so that it is denied as before. The operator's
        /// own tenant cannot be erased. A tenant of which nothing is stored is 404, and is not suspended.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: Identifier of the tenant, 1 to 256 characters, at least one of them visible. Required.
        public func eraseTenant(tenantID: String) async throws -> EraseTenantResponse {
            try await eraseTenant(EraseTenantRequest(tenantID: tenantID))
        }

        /// EraseTenant, with a request that was made before.
        public func eraseTenant(_ request: EraseTenantRequest) async throws -> EraseTenantResponse {
            try await caller.call("/api/v1/operator/tenants/erase", request, isRepeatable: false)
        }

        /// ListTenantsEvents lists the audit events of one tenant, or of all tenants and of calls without one, newest first.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - tenantID: Events of this tenant. Default: of all, and of calls without one.
        ///   - pageToken: `next_page_token` of the response before. Default: from the newest event on. The other members must
        ///     be those of the request before.
        ///   - perPage: Maximum number of events in the response. Default 0: 20. Above 100: 100.
        ///   - from: Events at or after this instant. Default: all.
        ///   - to: Events before this instant. Default: all.
        ///   - actorID: Events of this actor: the `user_id` of a dashboard user, the `key_id` of a key, or `operator`. Default:
        ///     all.
        ///   - action: Events of this action. Default: all.
        ///   - targetID: Events about this key, organization, invitation, user or tenant. Default: all.
        ///   - requestID: Events of this request: the `request_id` of an event, and the header `X-Request-Id` of its response.
        ///     Default: all.
        public func listTenantsEvents(
            tenantID: String = "",
            pageToken: String = "",
            perPage: Int = 0,
            from: Date? = nil,
            to: Date? = nil,
            actorID: String = "",
            action: String = "",
            targetID: String = "",
            requestID: String = ""
        ) async throws -> ListTenantsEventsResponse {
            try await listTenantsEvents(
                ListTenantsEventsRequest(tenantID: tenantID, pageToken: pageToken, perPage: perPage, from: from, to: to, actorID: actorID, action: action, targetID: targetID, requestID: requestID)
            )
        }

        /// ListTenantsEvents, with a request that was made before.
        public func listTenantsEvents(_ request: ListTenantsEventsRequest) async throws -> ListTenantsEventsResponse {
            try await caller.call("/api/v1/operator/audit/list", request, isRepeatable: true)
        }

        /// ExplainAnyRequest says which check denied a request of any tenant, and what to do.
        ///
        /// It also knows the last 1,000 denied requests that name no known key and no tenant, such as those with a mistyped
        /// key; at most 20 a second are kept by each process. Requests of tenants are kept as RequestService says.
        ///
        /// A dashboard user needs `system:*`.
        ///
        /// - Parameters:
        ///   - requestID: `X-Request-Id` of the request. Of several with the same, the newest is explained. Required.
        public func explainAnyRequest(requestID: String) async throws -> ExplainAnyRequestResponse {
            try await explainAnyRequest(ExplainAnyRequestRequest(requestID: requestID))
        }

        /// ExplainAnyRequest, with a request that was made before.
        public func explainAnyRequest(_ request: ExplainAnyRequestRequest) async throws -> ExplainAnyRequestResponse {
            try await caller.call("/api/v1/operator/requests/explain", request, isRepeatable: true)
        }
    }
}
