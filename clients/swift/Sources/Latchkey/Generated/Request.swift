// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// RecentRequest is one request as the checks of its caller decided it. Never a key, a token, or what was sent or read.
    public struct RecentRequest: Codable, Hashable, Sendable {
        /// `X-Request-Id` of the request and of its response. Where clients choose it, several requests may have the same.
        public var requestID: String
        /// When.
        public var at: Date
        /// Kind of caller, as in the audit trail: `secret_key`, `publishable_key`, `dashboard_user`; empty if it was not
        /// known before the denial.
        public var caller: String
        /// The key; empty if no known key was sent.
        public var keyID: String
        /// The user of the token, or the user that the key acted for; empty without a user, or if the user was not known
        /// before the denial.
        public var userID: String
        /// The client's address; empty if it is unknown.
        public var address: String
        /// The RPC, such as `latchkey.v1.AuthService/Verify`, or `auth/check`; empty if the path is unknown.
        public var rpc: String
        /// The scope that the caller lacked, or else the scope that the RPC requires; empty if it requires none. Of an
        /// admitted Verify, the scopes in its body are not kept.
        public var scope: String
        /// `admitted`; `denied`; or `failed`: the path or the method was wrong, or the caller could not be checked.
        public var verdict: String
        /// Why not: the denial reason, or for a failed request `not_found` or `internal`; empty if it was admitted.
        public var reason: String
        /// The message of the response; empty if the request was admitted.
        public var message: String
        /// The tenant; empty if it was not known. Only in responses to the operator.
        public var tenantID: String?
        /// The access token that was sent in place of the key; absent without one.
        public var tokenID: String?

        public init(
            requestID: String = "",
            at: Date = Date(timeIntervalSince1970: 0),
            caller: String = "",
            keyID: String = "",
            userID: String = "",
            address: String = "",
            rpc: String = "",
            scope: String = "",
            verdict: String = "",
            reason: String = "",
            message: String = "",
            tenantID: String? = nil,
            tokenID: String? = nil
        ) {
            self.requestID = requestID
            self.at = at
            self.caller = caller
            self.keyID = keyID
            self.userID = userID
            self.address = address
            self.rpc = rpc
            self.scope = scope
            self.verdict = verdict
            self.reason = reason
            self.message = message
            self.tenantID = tenantID
            self.tokenID = tokenID
        }

        enum CodingKeys: String, CodingKey {
            case requestID = "request_id"
            case at
            case caller
            case keyID = "key_id"
            case userID = "user_id"
            case address
            case rpc
            case scope
            case verdict
            case reason
            case message
            case tenantID = "tenant_id"
            case tokenID = "token_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.requestID = try members.decodeIfPresent(String.self, forKey: .requestID) ?? ""
            self.at = try members.decodeIfPresent(Date.self, forKey: .at) ?? Date(timeIntervalSince1970: 0)
            self.caller = try members.decodeIfPresent(String.self, forKey: .caller) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.address = try members.decodeIfPresent(String.self, forKey: .address) ?? ""
            self.rpc = try members.decodeIfPresent(String.self, forKey: .rpc) ?? ""
            self.scope = try members.decodeIfPresent(String.self, forKey: .scope) ?? ""
            self.verdict = try members.decodeIfPresent(String.self, forKey: .verdict) ?? ""
            self.reason = try members.decodeIfPresent(String.self, forKey: .reason) ?? ""
            self.message = try members.decodeIfPresent(String.self, forKey: .message) ?? ""
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID)
            self.tokenID = try members.decodeIfPresent(String.self, forKey: .tokenID)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.requestID, forKey: .requestID, unless: "")
            try members.encode(self.at, forKey: .at, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.caller, forKey: .caller, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.address, forKey: .address, unless: "")
            try members.encode(self.rpc, forKey: .rpc, unless: "")
            try members.encode(self.scope, forKey: .scope, unless: "")
            try members.encode(self.verdict, forKey: .verdict, unless: "")
            try members.encode(self.reason, forKey: .reason, unless: "")
            try members.encode(self.message, forKey: .message, unless: "")
            try members.encodeIfPresent(self.tenantID, forKey: .tenantID)
            try members.encodeIfPresent(self.tokenID, forKey: .tokenID)
        }
    }

    /// RequestExplanation says how a request was decided.
    public struct RequestExplanation: Codable, Hashable, Sendable {
        /// The request.
        public var request: RecentRequest
        /// Whether it was admitted.
        public var allowed: Bool
        /// Why not, as `reason` of the request; empty if it was admitted.
        public var denialReason: String
        /// The checks in their order, up to the one that failed: `path`, `credentials`, `key`, `status`, `source`, `oidc`,
        /// `rate_limit`, `token`, `scope` or `storage`. All are passed if the request was admitted.
        ///
        /// They mean what those of Verify's explanation mean. `path` and `storage` are there only if they failed, `token`
        /// if a token of Latchkey's was sent: it says whether tokens may call the RPC.
        public var steps: [ExplanationStep]
        /// How to fix it; empty if the request was admitted.
        public var remedy: String
        /// Path of the page about the reason, such as `/docs/errors#rate_limited`; empty if the request was admitted.
        public var documentation: String

        public init(
            request: RecentRequest = RecentRequest(),
            allowed: Bool = false,
            denialReason: String = "",
            steps: [ExplanationStep] = [],
            remedy: String = "",
            documentation: String = ""
        ) {
            self.request = request
            self.allowed = allowed
            self.denialReason = denialReason
            self.steps = steps
            self.remedy = remedy
            self.documentation = documentation
        }

        enum CodingKeys: String, CodingKey {
            case request
            case allowed
            case denialReason = "denial_reason"
            case steps
            case remedy
            case documentation
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.request = try members.decodeIfPresent(RecentRequest.self, forKey: .request) ?? RecentRequest()
            self.allowed = try members.decodeIfPresent(Bool.self, forKey: .allowed) ?? false
            self.denialReason = try members.decodeIfPresent(String.self, forKey: .denialReason) ?? ""
            self.steps = try members.decodeIfPresent([ExplanationStep].self, forKey: .steps) ?? []
            self.remedy = try members.decodeIfPresent(String.self, forKey: .remedy) ?? ""
            self.documentation = try members.decodeIfPresent(String.self, forKey: .documentation) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.request, forKey: .request, unless: RecentRequest())
            try members.encode(self.allowed, forKey: .allowed, unless: false)
            try members.encode(self.denialReason, forKey: .denialReason, unless: "")
            try members.encode(self.steps, forKey: .steps, unless: [])
            try members.encode(self.remedy, forKey: .remedy, unless: "")
            try members.encode(self.documentation, forKey: .documentation, unless: "")
        }
    }
}
