// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// KeyType is a kind of API key. It is fixed at creation.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct KeyType: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// In a request: a secret key. Never in an answer.
        public static let unspecified = KeyType(rawValue: "KEY_TYPE_UNSPECIFIED")

        /// `sk_`: server-side calls from a customer's backend; needs no user's JWT.
        public static let secret = KeyType(rawValue: "KEY_TYPE_SECRET")

        /// `pk_`: client apps; always sent together with a user's JWT.
        public static let publishable = KeyType(rawValue: "KEY_TYPE_PUBLISHABLE")
    }

    /// KeyStatus is the state of an API key at the moment of the answer.
    ///
    /// When several hold, the order is revoked, disabled, expired.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct KeyStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// In a filter: every status. Never in an answer.
        public static let unspecified = KeyStatus(rawValue: "KEY_STATUS_UNSPECIFIED")

        /// Usable.
        public static let active = KeyStatus(rawValue: "KEY_STATUS_ACTIVE")

        /// Past `expires_at`. Final.
        public static let expired = KeyStatus(rawValue: "KEY_STATUS_EXPIRED")

        /// Switched off; can be enabled again.
        public static let disabled = KeyStatus(rawValue: "KEY_STATUS_DISABLED")

        /// Revoked. Final.
        public static let revoked = KeyStatus(rawValue: "KEY_STATUS_REVOKED")
    }

    /// RateLimit bounds the requests one key may make: over all replicas together where the operator has set `REDIS_URL`,
    /// else on each by itself.
    public struct RateLimit: Codable, Hashable, Sendable {
        /// Maximum number of requests in a window of 60 s, which opens with the first request admitted after the last one
        /// ended.
        ///
        /// Default 0: unlimited.
        public var requestsPerMinute: Int
        /// Maximum number of requests in a window of 3,600 s, which opens with the first request admitted after the last
        /// one ended.
        ///
        /// Default 0: unlimited.
        public var requestsPerHour: Int
        /// Maximum number of requests at once: the capacity of a token bucket that refills at the per-minute rate, or at
        /// the hourly one where only that is set.
        ///
        /// Default 0: as many as that rate's cap. A key that spends its cap late in one window then gets it back at that
        /// rate, and not at once when the next window opens. Twice the cap or more restricts no further than the windows
        /// do. Without a cap it limits nothing, as `warning` then says.
        public var burstSize: Int
        /// The limit of each user of the key, beside the key's own. Default: none. Absent where all its members are 0.
        ///
        /// The user is a publishable key's, or the user for whom a secret key acts by `X-On-Behalf-Of`. A request spends
        /// from both budgets or, if either denies it, from neither. A request without a user spends only from the key's
        /// budget.
        public var perUser: UserRateLimit?
        /// A warning about this limit, as a sentence. Only in responses, and ignored in requests. Absent: no warning.
        ///
        /// It warns of a `burst_size` that limits nothing, because there is no cap.
        public var warning: String?
        /// `true` where no request is ever denied by this limit: neither the key nor `per_user` has a cap. Absent in
        /// responses: there is a cap. A request may omit it; a value that contradicts the caps is rejected.
        public var unlimited: Bool?

        public init(
            requestsPerMinute: Int = 0,
            requestsPerHour: Int = 0,
            burstSize: Int = 0,
            perUser: UserRateLimit? = nil,
            warning: String? = nil,
            unlimited: Bool? = nil
        ) {
            self.requestsPerMinute = requestsPerMinute
            self.requestsPerHour = requestsPerHour
            self.burstSize = burstSize
            self.perUser = perUser
            self.warning = warning
            self.unlimited = unlimited
        }

        enum CodingKeys: String, CodingKey {
            case requestsPerMinute = "requests_per_minute"
            case requestsPerHour = "requests_per_hour"
            case burstSize = "burst_size"
            case perUser = "per_user"
            case warning
            case unlimited
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.requestsPerMinute = try members.decodeIfPresent(Int.self, forKey: .requestsPerMinute) ?? 0
            self.requestsPerHour = try members.decodeIfPresent(Int.self, forKey: .requestsPerHour) ?? 0
            self.burstSize = try members.decodeIfPresent(Int.self, forKey: .burstSize) ?? 0
            self.perUser = try members.decodeIfPresent(UserRateLimit.self, forKey: .perUser)
            self.warning = try members.decodeIfPresent(String.self, forKey: .warning)
            self.unlimited = try members.decodeIfPresent(Bool.self, forKey: .unlimited)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.requestsPerMinute, forKey: .requestsPerMinute, unless: 0)
            try members.encode(self.requestsPerHour, forKey: .requestsPerHour, unless: 0)
            try members.encode(self.burstSize, forKey: .burstSize, unless: 0)
            try members.encodeIfPresent(self.perUser, forKey: .perUser)
            try members.encodeIfPresent(self.warning, forKey: .warning)
            try members.encodeIfPresent(self.unlimited, forKey: .unlimited)
        }
    }

    /// UserRateLimit bounds the requests that each user of a key may make. A budget that is full again takes no memory; a
    /// replica without Redis keeps those of 100,000 users of a key.
    public struct UserRateLimit: Codable, Hashable, Sendable {
        /// Maximum number of requests of one user in a window of 60 s, as of the key's own.
        ///
        /// Default 0: unlimited.
        public var requestsPerMinute: Int
        /// Maximum number of requests of one user in a window of 3,600 s.
        ///
        /// Default 0: unlimited.
        public var requestsPerHour: Int
        /// Maximum number of requests of one user at once: the capacity of their token bucket.
        ///
        /// Default 0: as many as the cap. Without a cap it limits nothing.
        public var burstSize: Int

        public init(requestsPerMinute: Int = 0, requestsPerHour: Int = 0, burstSize: Int = 0) {
            self.requestsPerMinute = requestsPerMinute
            self.requestsPerHour = requestsPerHour
            self.burstSize = burstSize
        }

        enum CodingKeys: String, CodingKey {
            case requestsPerMinute = "requests_per_minute"
            case requestsPerHour = "requests_per_hour"
            case burstSize = "burst_size"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.requestsPerMinute = try members.decodeIfPresent(Int.self, forKey: .requestsPerMinute) ?? 0
            self.requestsPerHour = try members.decodeIfPresent(Int.self, forKey: .requestsPerHour) ?? 0
            self.burstSize = try members.decodeIfPresent(Int.self, forKey: .burstSize) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.requestsPerMinute, forKey: .requestsPerMinute, unless: 0)
            try members.encode(self.requestsPerHour, forKey: .requestsPerHour, unless: 0)
            try members.encode(self.burstSize, forKey: .burstSize, unless: 0)
        }
    }

    /// OidcConfig says how the user JWT that comes with a publishable key is verified.
    ///
    /// The whole configuration has at most 16,384 bytes as JSON. Responses have the optional members only where they are
    /// set.
    public struct OidcConfig: Codable, Hashable, Sendable {
        /// The exact value of the token's `iss` claim: 1 to 2,048 visible characters without `{` and `}`. Required.
        ///
        /// It is compared and never fetched, except to discover `jwksUrl`, and is usually an https URL. This service's own
        /// issuer is rejected.
        public var issuer: String
        /// Where the issuer's public keys are fetched: an absolute https URL without credentials, at most 2,048 characters.
        /// It must resolve to public addresses only.
        ///
        /// Default: discovered once, when the key is created, from `/.well-known/openid-configuration` of an issuer that is
        /// an https URL. Responses have the discovered URL.
        public var jwksURL: String
        /// The value that the token's `aud` claim must be or contain, at most 1,024 characters. Required.
        public var audience: String
        /// The claim that holds the user id, at most 256 characters. Dots address nested claims. Default: `sub`.
        public var userIDClaim: String
        /// Claims the token must carry: name to the exact string expected. Dots address nested claims; a claim whose
        /// literal name has the dots takes precedence. At most 32, with names of up to 256 and values of up to 1,024
        /// characters.
        public var requiredClaims: [String: String]
        /// The claim that must be `audience` where a token has no `aud`: `aud`, `azp` or `client_id`. Default: `aud`, so
        /// that a token without `aud` is denied.
        ///
        /// A token with `aud` is always checked by `aud`.
        public var audienceClaim: String?
        /// The values of which the token's `azp` claim must be one, or `client_id` of an access token (`typ` `at+jwt`)
        /// without `azp`: a list of 1 to 32 texts of up to 1,024 characters. Default: neither is checked.
        public var authorizedParties: [String]?
        /// The kind of token: `any`, `access` or `id`. Default: `any`.
        ///
        /// `access` needs the `typ` `at+jwt` in the token's header (RFC 9068), and `id` refuses it. Many issuers do not
        /// mark access tokens so.
        public var tokenType: String?
        /// Rules for claims: a list of 1 to 32 objects. The token must satisfy all of them. Default: none.
        ///
        /// `{"claim": "email_verified", "equals": true}`: the claim is exactly this text, number or boolean. `{"claim":
        /// "groups", "contains": "staff"}`: the text is an element of the claim's list, a member of its object, or a word
        /// of the text of `scope` and `scp`. `claim` is a name or a path, as in `requiredClaims`.
        public var claimRules: [[String: JSONValue]]?
        /// Prefix of the user id of each token, so that the users of two issuers are never the same: at most 64 characters.
        /// Default: nothing.
        public var userIDPrefix: String?

        public init(
            issuer: String = "",
            jwksURL: String = "",
            audience: String = "",
            userIDClaim: String = "",
            requiredClaims: [String: String] = [:],
            audienceClaim: String? = nil,
            authorizedParties: [String]? = nil,
            tokenType: String? = nil,
            claimRules: [[String: JSONValue]]? = nil,
            userIDPrefix: String? = nil
        ) {
            self.issuer = issuer
            self.jwksURL = jwksURL
            self.audience = audience
            self.userIDClaim = userIDClaim
            self.requiredClaims = requiredClaims
            self.audienceClaim = audienceClaim
            self.authorizedParties = authorizedParties
            self.tokenType = tokenType
            self.claimRules = claimRules
            self.userIDPrefix = userIDPrefix
        }

        enum CodingKeys: String, CodingKey {
            case issuer
            case jwksURL = "jwksUrl"
            case audience
            case userIDClaim = "userIdClaim"
            case requiredClaims
            case audienceClaim
            case authorizedParties
            case tokenType
            case claimRules
            case userIDPrefix = "userIdPrefix"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.jwksURL = try members.decodeIfPresent(String.self, forKey: .jwksURL) ?? ""
            self.audience = try members.decodeIfPresent(String.self, forKey: .audience) ?? ""
            self.userIDClaim = try members.decodeIfPresent(String.self, forKey: .userIDClaim) ?? ""
            self.requiredClaims = try members.decodeIfPresent([String: String].self, forKey: .requiredClaims) ?? [:]
            self.audienceClaim = try members.decodeIfPresent(String.self, forKey: .audienceClaim)
            self.authorizedParties = try members.decodeIfPresent([String].self, forKey: .authorizedParties)
            self.tokenType = try members.decodeIfPresent(String.self, forKey: .tokenType)
            self.claimRules = try members.decodeIfPresent([[String: JSONValue]].self, forKey: .claimRules)
            self.userIDPrefix = try members.decodeIfPresent(String.self, forKey: .userIDPrefix)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encode(self.jwksURL, forKey: .jwksURL, unless: "")
            try members.encode(self.audience, forKey: .audience, unless: "")
            try members.encode(self.userIDClaim, forKey: .userIDClaim, unless: "")
            try members.encode(self.requiredClaims, forKey: .requiredClaims, unless: [:])
            try members.encodeIfPresent(self.audienceClaim, forKey: .audienceClaim)
            try members.encodeIfPresent(self.authorizedParties, forKey: .authorizedParties)
            try members.encodeIfPresent(self.tokenType, forKey: .tokenType)
            try members.encodeIfPresent(self.claimRules, forKey: .claimRules)
            try members.encodeIfPresent(self.userIDPrefix, forKey: .userIDPrefix)
        }
    }

    /// PublishableConfig is the configuration that only publishable keys have.
    public struct PublishableConfig: Codable, Hashable, Sendable {
        /// How the user's JWT is verified. Without it every use of the key is denied with `misconfigured_publishable_key`.
        public var oidc: OidcConfig?

        public init(oidc: OidcConfig? = nil) {
            self.oidc = oidc
        }

        enum CodingKeys: String, CodingKey {
            case oidc
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.oidc = try members.decodeIfPresent(OidcConfig.self, forKey: .oidc)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.oidc, forKey: .oidc)
        }
    }

    /// ScopeNames is a list of scopes.
    public struct ScopeNames: Codable, Hashable, Sendable {
        /// The scopes, in the order of the permissions.
        public var names: [String]

        public init(names: [String] = []) {
            self.names = names
        }

        enum CodingKeys: String, CodingKey {
            case names
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.names = try members.decodeIfPresent([String].self, forKey: .names) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.names, forKey: .names, unless: [])
        }
    }

    /// ApiKey is the record of an API key. The key's own value is not part of it: only the call that creates the key
    /// returns it.
    public struct ApiKey: Codable, Hashable, Sendable {
        /// Identifier of the key, `key_...`; used by every management operation.
        public var keyID: String
        /// First characters of the key without its brand, at most 12, for display and to find it.
        public var keyPrefix: String
        /// Label chosen by the caller, 1 to 128 characters.
        public var name: String
        /// Free text, at most 1,024 characters.
        public var description: String
        /// Kind of key.
        public var keyType: KeyType
        /// Scopes, without duplicates.
        public var permissions: [String]
        /// Limits; always set, zeros where unlimited.
        public var rateLimit: RateLimit
        /// When the key stops working. Absent: never.
        public var expiresAt: Date?
        /// When the key was created.
        public var createdAt: Date
        /// Present on publishable keys that were created with it.
        public var publishableConfig: PublishableConfig?
        /// State at the moment of the answer.
        public var status: KeyStatus
        /// When the record last changed.
        public var updatedAt: Date
        /// When a request last presented the key. Absent: never.
        ///
        /// A use that another replica answered is included within a second, and so is any use in the answer to a change of
        /// the key.
        public var lastUsedAt: Date?
        /// When the key was revoked. Absent: it was not.
        public var revokedAt: Date?
        /// `key_id` of the successor. Absent: the key was not rotated.
        public var rotatedTo: String?
        /// `key_id` of the predecessor. Absent: the key was not made by a rotation.
        public var rotatedFrom: String?
        /// The entries of `permissions` that are no longer known scopes, and grant nothing. Absent: all are known.
        public var unknownPermissions: ScopeNames?
        /// The tenant that the key belongs to. Only in responses to the operator whose request names no tenant.
        public var tenantID: String?
        /// Whether that tenant is suspended, so that the key is denied whatever its status. Only beside `tenant_id`.
        public var tenantSuspended: Bool?
        /// The user who created the key. Absent: the user was erased.
        public var createdBy: Actor?
        /// Who revoked the key. Absent: the key was not revoked, or was revoked before the audit trail existed.
        public var revokedBy: Actor?
        /// The tenant's own data about the key: a JSON object. Absent: not set.
        public var metadata: [String: JSONValue]?
        /// The tenant's own identifier for the owner of the key, such as a customer. Absent: not set.
        public var externalID: String?
        /// IP addresses and CIDRs from which the key may be used. Empty: from any address.
        public var allowedIPs: [String]
        /// Origins of the web pages that may use the publishable key. Empty: any page, and callers that are not web pages.
        public var allowedOrigins: [String]
        /// Whether the secret key may be used in browsers. Absent: it may not, or the key is publishable.
        public var allowBrowser: Bool?
        /// When the key was last reported as leaked, which disabled it. Absent: never.
        public var leakedAt: Date?
        /// Where it was then found, a URL of at most 2,048 characters, as the reporter gave it. Absent: not known.
        public var leakURL: String?
        /// The kind of place where it was found, as the reporter gave it, at most 64 characters. Absent: not known.
        public var leakSource: String?
        /// Present, and true, if another system, or another deployment of this service, has issued the key.
        public var imported: Bool?
        /// Name of the key format of an imported key. Absent: the key was issued by this service, here or by another
        /// deployment.
        public var keyFormat: String?

        public init(
            keyID: String = "",
            keyPrefix: String = "",
            name: String = "",
            description: String = "",
            keyType: KeyType = .unspecified,
            permissions: [String] = [],
            rateLimit: RateLimit = RateLimit(),
            expiresAt: Date? = nil,
            createdAt: Date = Date(timeIntervalSince1970: 0),
            publishableConfig: PublishableConfig? = nil,
            status: KeyStatus = .unspecified,
            updatedAt: Date = Date(timeIntervalSince1970: 0),
            lastUsedAt: Date? = nil,
            revokedAt: Date? = nil,
            rotatedTo: String? = nil,
            rotatedFrom: String? = nil,
            unknownPermissions: ScopeNames? = nil,
            tenantID: String? = nil,
            tenantSuspended: Bool? = nil,
            createdBy: Actor? = nil,
            revokedBy: Actor? = nil,
            metadata: [String: JSONValue]? = nil,
            externalID: String? = nil,
            allowedIPs: [String] = [],
            allowedOrigins: [String] = [],
            allowBrowser: Bool? = nil,
            leakedAt: Date? = nil,
            leakURL: String? = nil,
            leakSource: String? = nil,
            imported: Bool? = nil,
            keyFormat: String? = nil
        ) {
            self.keyID = keyID
            self.keyPrefix = keyPrefix
            self.name = name
            self.description = description
            self.keyType = keyType
            self.permissions = permissions
            self.rateLimit = rateLimit
            self.expiresAt = expiresAt
            self.createdAt = createdAt
            self.publishableConfig = publishableConfig
            self.status = status
            self.updatedAt = updatedAt
            self.lastUsedAt = lastUsedAt
            self.revokedAt = revokedAt
            self.rotatedTo = rotatedTo
            self.rotatedFrom = rotatedFrom
            self.unknownPermissions = unknownPermissions
            self.tenantID = tenantID
            self.tenantSuspended = tenantSuspended
            self.createdBy = createdBy
            self.revokedBy = revokedBy
            self.metadata = metadata
            self.externalID = externalID
            self.allowedIPs = allowedIPs
            self.allowedOrigins = allowedOrigins
            self.allowBrowser = allowBrowser
            self.leakedAt = leakedAt
            self.leakURL = leakURL
            self.leakSource = leakSource
            self.imported = imported
            self.keyFormat = keyFormat
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case keyPrefix = "key_prefix"
            case name
            case description
            case keyType
            case permissions
            case rateLimit = "rate_limit"
            case expiresAt = "expires_at"
            case createdAt = "created_at"
            case publishableConfig
            case status
            case updatedAt = "updated_at"
            case lastUsedAt = "last_used_at"
            case revokedAt = "revoked_at"
            case rotatedTo = "rotated_to"
            case rotatedFrom = "rotated_from"
            case unknownPermissions = "unknown_permissions"
            case tenantID = "tenant_id"
            case tenantSuspended = "tenant_suspended"
            case createdBy = "created_by"
            case revokedBy = "revoked_by"
            case metadata
            case externalID = "external_id"
            case allowedIPs = "allowed_ips"
            case allowedOrigins = "allowed_origins"
            case allowBrowser = "allow_browser"
            case leakedAt = "leaked_at"
            case leakURL = "leak_url"
            case leakSource = "leak_source"
            case imported
            case keyFormat = "key_format"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.keyType = try members.decodeIfPresent(KeyType.self, forKey: .keyType) ?? .unspecified
            self.permissions = try members.decodeIfPresent([String].self, forKey: .permissions) ?? []
            self.rateLimit = try members.decodeIfPresent(RateLimit.self, forKey: .rateLimit) ?? RateLimit()
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt)
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.publishableConfig = try members.decodeIfPresent(PublishableConfig.self, forKey: .publishableConfig)
            self.status = try members.decodeIfPresent(KeyStatus.self, forKey: .status) ?? .unspecified
            self.updatedAt = try members.decodeIfPresent(Date.self, forKey: .updatedAt) ?? Date(timeIntervalSince1970: 0)
            self.lastUsedAt = try members.decodeIfPresent(Date.self, forKey: .lastUsedAt)
            self.revokedAt = try members.decodeIfPresent(Date.self, forKey: .revokedAt)
            self.rotatedTo = try members.decodeIfPresent(String.self, forKey: .rotatedTo)
            self.rotatedFrom = try members.decodeIfPresent(String.self, forKey: .rotatedFrom)
            self.unknownPermissions = try members.decodeIfPresent(ScopeNames.self, forKey: .unknownPermissions)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID)
            self.tenantSuspended = try members.decodeIfPresent(Bool.self, forKey: .tenantSuspended)
            self.createdBy = try members.decodeIfPresent(Actor.self, forKey: .createdBy)
            self.revokedBy = try members.decodeIfPresent(Actor.self, forKey: .revokedBy)
            self.metadata = try members.decodeIfPresent([String: JSONValue].self, forKey: .metadata)
            self.externalID = try members.decodeIfPresent(String.self, forKey: .externalID)
            self.allowedIPs = try members.decodeIfPresent([String].self, forKey: .allowedIPs) ?? []
            self.allowedOrigins = try members.decodeIfPresent([String].self, forKey: .allowedOrigins) ?? []
            self.allowBrowser = try members.decodeIfPresent(Bool.self, forKey: .allowBrowser)
            self.leakedAt = try members.decodeIfPresent(Date.self, forKey: .leakedAt)
            self.leakURL = try members.decodeIfPresent(String.self, forKey: .leakURL)
            self.leakSource = try members.decodeIfPresent(String.self, forKey: .leakSource)
            self.imported = try members.decodeIfPresent(Bool.self, forKey: .imported)
            self.keyFormat = try members.decodeIfPresent(String.self, forKey: .keyFormat)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.keyPrefix, forKey: .keyPrefix, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.keyType, forKey: .keyType, unless: .unspecified)
            try members.encode(self.permissions, forKey: .permissions, unless: [])
            try members.encode(self.rateLimit, forKey: .rateLimit, unless: RateLimit())
            try members.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.publishableConfig, forKey: .publishableConfig)
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.updatedAt, forKey: .updatedAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.lastUsedAt, forKey: .lastUsedAt)
            try members.encodeIfPresent(self.revokedAt, forKey: .revokedAt)
            try members.encodeIfPresent(self.rotatedTo, forKey: .rotatedTo)
            try members.encodeIfPresent(self.rotatedFrom, forKey: .rotatedFrom)
            try members.encodeIfPresent(self.unknownPermissions, forKey: .unknownPermissions)
            try members.encodeIfPresent(self.tenantID, forKey: .tenantID)
            try members.encodeIfPresent(self.tenantSuspended, forKey: .tenantSuspended)
            try members.encodeIfPresent(self.createdBy, forKey: .createdBy)
            try members.encodeIfPresent(self.revokedBy, forKey: .revokedBy)
            try members.encodeIfPresent(self.metadata, forKey: .metadata)
            try members.encodeIfPresent(self.externalID, forKey: .externalID)
            try members.encode(self.allowedIPs, forKey: .allowedIPs, unless: [])
            try members.encode(self.allowedOrigins, forKey: .allowedOrigins, unless: [])
            try members.encodeIfPresent(self.allowBrowser, forKey: .allowBrowser)
            try members.encodeIfPresent(self.leakedAt, forKey: .leakedAt)
            try members.encodeIfPresent(self.leakURL, forKey: .leakURL)
            try members.encodeIfPresent(self.leakSource, forKey: .leakSource)
            try members.encodeIfPresent(self.imported, forKey: .imported)
            try members.encodeIfPresent(self.keyFormat, forKey: .keyFormat)
        }
    }
}
