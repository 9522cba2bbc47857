// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// DeriveTokenRequest says what the token may do.
    public struct DeriveTokenRequest: Codable, Hashable, Sendable {
        /// Scopes of the token, 1 to 64, each among those of the key. Required.
        public var scopes: [String]
        /// For how many seconds it is valid, 60 to 3,600. Default 0: 900.
        public var ttlSeconds: Int
        /// The user that it acts for, as with `X-On-Behalf-Of`; the key needs `users:impersonate`. Default: none.
        public var userID: String?
        /// The service that it is for, its claim `aud`, which other verifiers compare. Default: this service.
        public var audience: String?
        /// The RFC 7638 thumbprint of a public key: only who proves by DPoP (RFC 9449) to have the private one can use the
        /// token. Default: any sender may use it.
        public var confirmationJkt: String?
        /// Your own name for this call, so that it can be repeated without a second token.
        ///
        /// Up to 128 characters, unique for each caller for 24 hours. The same call within that time returns the first
        /// one's identifier, without the token; another one is `client_request_id_reused`. Default empty: each call issues
        /// a token.
        public var clientRequestID: String

        public init(
            scopes: [String],
            ttlSeconds: Int = 0,
            userID: String? = nil,
            audience: String? = nil,
            confirmationJkt: String? = nil,
            clientRequestID: String = ""
        ) {
            self.scopes = scopes
            self.ttlSeconds = ttlSeconds
            self.userID = userID
            self.audience = audience
            self.confirmationJkt = confirmationJkt
            self.clientRequestID = clientRequestID
        }

        enum CodingKeys: String, CodingKey {
            case scopes
            case ttlSeconds = "ttl_seconds"
            case userID = "user_id"
            case audience
            case confirmationJkt = "confirmation_jkt"
            case clientRequestID = "client_request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
            self.ttlSeconds = try members.decodeIfPresent(Int.self, forKey: .ttlSeconds) ?? 0
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID)
            self.audience = try members.decodeIfPresent(String.self, forKey: .audience)
            self.confirmationJkt = try members.decodeIfPresent(String.self, forKey: .confirmationJkt)
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.scopes, forKey: .scopes, unless: [])
            try members.encode(self.ttlSeconds, forKey: .ttlSeconds, unless: 0)
            try members.encodeIfPresent(self.userID, forKey: .userID)
            try members.encodeIfPresent(self.audience, forKey: .audience)
            try members.encodeIfPresent(self.confirmationJkt, forKey: .confirmationJkt)
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
        }
    }

    /// DeriveTokenResponse holds the token.
    public struct DeriveTokenResponse: Codable, Hashable, Sendable {
        /// The token.
        public var result: DerivedToken

        public init(result: DerivedToken = DerivedToken()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(DerivedToken.self, forKey: .result) ?? DerivedToken()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: DerivedToken())
        }
    }

    /// DerivedToken is a token, as it is sent.
    public struct DerivedToken: Codable, Hashable, Sendable, CustomReflectable {
        /// The token, a JWT. It cannot be retrieved later.
        public var token: String
        /// Identifier of the token, `tok_...`.
        public var tokenID: String
        /// When it expires.
        public var expiresAt: Date
        /// Present, and true, if an earlier call with the same `client_request_id` has issued the token: `token` is empty,
        /// since it is not stored. Without the first answer it is lost: derive another with another `client_request_id`.
        public var alreadyCreated: Bool?

        public init(
            token: String = "",
            tokenID: String = "",
            expiresAt: Date = Date(timeIntervalSince1970: 0),
            alreadyCreated: Bool? = nil
        ) {
            self.token = token
            self.tokenID = tokenID
            self.expiresAt = expiresAt
            self.alreadyCreated = alreadyCreated
        }

        enum CodingKeys: String, CodingKey {
            case token
            case tokenID = "token_id"
            case expiresAt = "expires_at"
            case alreadyCreated = "already_created"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.token = try members.decodeIfPresent(String.self, forKey: .token) ?? ""
            self.tokenID = try members.decodeIfPresent(String.self, forKey: .tokenID) ?? ""
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt) ?? Date(timeIntervalSince1970: 0)
            self.alreadyCreated = try members.decodeIfPresent(Bool.self, forKey: .alreadyCreated)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.token, forKey: .token, unless: "")
            try members.encode(self.tokenID, forKey: .tokenID, unless: "")
            try members.encode(self.expiresAt, forKey: .expiresAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.alreadyCreated, forKey: .alreadyCreated)
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "token": redacted(self.token),
                    "tokenID": self.tokenID,
                    "expiresAt": self.expiresAt,
                    "alreadyCreated": self.alreadyCreated as Any,
                ],
                displayStyle: .struct
            )
        }
    }

    /// ListTokensRequest says which tokens to list. All members are optional.
    public struct ListTokensRequest: Codable, Hashable, Sendable {
        /// Tokens of this key. Default: all that the caller may list.
        public var keyID: String
        /// `next_page_token` of the response before. Default: from the newest token on.
        ///
        /// The other members must be those of the request before.
        public var pageToken: String
        /// Maximum number of tokens in the response. Default 0: 20. Above 100: 100.
        public var perPage: Int

        public init(keyID: String = "", pageToken: String = "", perPage: Int = 0) {
            self.keyID = keyID
            self.pageToken = pageToken
            self.perPage = perPage
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case pageToken = "page_token"
            case perPage = "per_page"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
        }
    }

    /// ListTokensResponse is one page of tokens.
    public struct ListTokensResponse: Codable, Hashable, Sendable {
        /// The tokens, the newest first, also those that were revoked.
        public var tokens: [AccessToken]
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(tokens: [AccessToken] = [], nextPageToken: String = "") {
            self.tokens = tokens
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case tokens
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tokens = try members.decodeIfPresent([AccessToken].self, forKey: .tokens) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tokens, forKey: .tokens, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// RevokeTokenRequest names a token.
    public struct RevokeTokenRequest: Codable, Hashable, Sendable {
        /// Identifier of the token. Required.
        public var tokenID: String

        public init(tokenID: String) {
            self.tokenID = tokenID
        }

        enum CodingKeys: String, CodingKey {
            case tokenID = "token_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.tokenID = try members.decodeIfPresent(String.self, forKey: .tokenID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.tokenID, forKey: .tokenID, unless: "")
        }
    }

    /// RevokeTokenResponse holds the token.
    public struct RevokeTokenResponse: Codable, Hashable, Sendable {
        /// The token after the change.
        public var result: AccessToken

        public init(result: AccessToken = AccessToken()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(AccessToken.self, forKey: .result) ?? AccessToken()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: AccessToken())
        }
    }

    /// TokenService derives tokens from secret keys: for a job, an agent or a page, with less than the key, for minutes.
    ///
    /// A token is sent as `Authorization: Bearer <token>` without `X-API-Key`. It may do what both its scopes and its key
    /// allow at each request, and spends from its key's limit; whatever denies the key denies the token. Its signature can
    /// be checked with `/.well-known/jwks.json`, but the signature does not show whether the token or its key was revoked:
    /// Verify does.
    public struct TokenService: Sendable {
        let caller: HTTPCaller

        /// DeriveToken issues an access token for the calling key. A token cannot derive another one.
        ///
        /// - Parameters:
        ///   - scopes: Scopes of the token, 1 to 64, each among those of the key. Required.
        ///   - ttlSeconds: For how many seconds it is valid, 60 to 3,600. Default 0: 900.
        ///   - userID: The user that it acts for, as with `X-On-Behalf-Of`; the key needs `users:impersonate`. Default: none.
        ///   - audience: The service that it is for, its claim `aud`, which other verifiers compare. Default: this service.
        ///   - confirmationJkt: The RFC 7638 thumbprint of a public key: only who proves by DPoP (RFC 9449) to have the private
        ///     one can use the token. Default: any sender may use it.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated without a second token. Up to 128
        ///     characters, unique for each caller for 24 hours. The same call within that time returns the first one's
        ///     identifier, without the token; another one is `client_request_id_reused`. Default empty: each call issues a
        ///     token.
        public func deriveToken(
            scopes: [String],
            ttlSeconds: Int = 0,
            userID: String? = nil,
            audience: String? = nil,
            confirmationJkt: String? = nil,
            clientRequestID: String = ""
        ) async throws -> DeriveTokenResponse {
            try await deriveToken(
                DeriveTokenRequest(scopes: scopes, ttlSeconds: ttlSeconds, userID: userID, audience: audience, confirmationJkt: confirmationJkt, clientRequestID: clientRequestID)
            )
        }

        /// DeriveToken, with a request that was made before.
        public func deriveToken(_ request: DeriveTokenRequest) async throws -> DeriveTokenResponse {
            let response: DeriveTokenResponse = try await caller.call("/api/v1/tokens/derive", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.result.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.tokenID) }
            return response
        }

        /// ListTokens lists the tokens that have not expired, the newest first: those of the calling key, or for a dashboard
        /// user all of their tenant. A call with a token returns only that token.
        ///
        /// A dashboard user needs `api_keys:read`.
        ///
        /// - Parameters:
        ///   - keyID: Tokens of this key. Default: all that the caller may list.
        ///   - pageToken: `next_page_token` of the response before. Default: from the newest token on. The other members must
        ///     be those of the request before.
        ///   - perPage: Maximum number of tokens in the response. Default 0: 20. Above 100: 100.
        public func listTokens(
            keyID: String = "",
            pageToken: String = "",
            perPage: Int = 0
        ) async throws -> ListTokensResponse {
            try await listTokens(ListTokensRequest(keyID: keyID, pageToken: pageToken, perPage: perPage))
        }

        /// ListTokens, with a request that was made before.
        public func listTokens(_ request: ListTokensRequest) async throws -> ListTokensResponse {
            try await caller.call("/api/v1/tokens/list", request, isRepeatable: true)
        }

        /// RevokeToken revokes a token: of the calling key, or for a dashboard user any of their tenant. A call with a token
        /// can revoke only that token. It cannot be undone.
        ///
        /// Once it is answered, no replica accepts the token. Revoking again changes nothing. An expired token is 404 once its
        /// record was removed, a day after its end.
        ///
        /// A dashboard user needs `api_keys:write`.
        ///
        /// - Parameters:
        ///   - tokenID: Identifier of the token. Required.
        public func revokeToken(tokenID: String) async throws -> RevokeTokenResponse {
            try await revokeToken(RevokeTokenRequest(tokenID: tokenID))
        }

        /// RevokeToken, with a request that was made before.
        public func revokeToken(_ request: RevokeTokenRequest) async throws -> RevokeTokenResponse {
            try await caller.call("/api/v1/tokens/revoke", request, isRepeatable: false)
        }
    }
}
