// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// ListRequestsRequest says which requests to list. All members are optional.
    public struct ListRequestsRequest: Codable, Hashable, Sendable {
        /// `next_page_token` of the response before. Default: from the newest request on.
        ///
        /// The other members must be those of the request before.
        public var pageToken: String
        /// Maximum number of requests in the response. Default 0: 20. Above 100: 100.
        public var perPage: Int
        /// Requests at or after this instant. Default: all.
        public var from: Date?
        /// Requests before this instant. Default: all.
        public var to: Date?
        /// Requests with this key. Default: all.
        public var keyID: String
        /// Requests with this verdict. Default: all.
        public var verdict: String
        /// Requests with this `reason`, such as `rate_limited`. Default: all.
        public var reason: String
        /// Requests with this `X-Request-Id`. Default: all.
        public var requestID: String
        /// Requests with this token of Latchkey's in place of the key. Default: all.
        public var tokenID: String

        public init(
            pageToken: String = "",
            perPage: Int = 0,
            from: Date? = nil,
            to: Date? = nil,
            keyID: String = "",
            verdict: String = "",
            reason: String = "",
            requestID: String = "",
            tokenID: String = ""
        ) {
            self.pageToken = pageToken
            self.perPage = perPage
            self.from = from
            self.to = to
            self.keyID = keyID
            self.verdict = verdict
            self.reason = reason
            self.requestID = requestID
            self.tokenID = tokenID
        }

        enum CodingKeys: String, CodingKey {
            case pageToken = "page_token"
            case perPage = "per_page"
            case from
            case to
            case keyID = "key_id"
            case verdict
            case reason
            case requestID = "request_id"
            case tokenID = "token_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.from = try members.decodeIfPresent(Date.self, forKey: .from)
            self.to = try members.decodeIfPresent(Date.self, forKey: .to)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.verdict = try members.decodeIfPresent(String.self, forKey: .verdict) ?? ""
            self.reason = try members.decodeIfPresent(String.self, forKey: .reason) ?? ""
            self.requestID = try members.decodeIfPresent(String.self, forKey: .requestID) ?? ""
            self.tokenID = try members.decodeIfPresent(String.self, forKey: .tokenID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encodeIfPresent(self.from, forKey: .from)
            try members.encodeIfPresent(self.to, forKey: .to)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.verdict, forKey: .verdict, unless: "")
            try members.encode(self.reason, forKey: .reason, unless: "")
            try members.encode(self.requestID, forKey: .requestID, unless: "")
            try members.encode(self.tokenID, forKey: .tokenID, unless: "")
        }
    }

    /// ListRequestsResponse is one page of requests.
    public struct ListRequestsResponse: Codable, Hashable, Sendable {
        /// The requests, newest first.
        public var requests: [RecentRequest]
        /// Names the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(requests: [RecentRequest] = [], nextPageToken: String = "") {
            self.requests = requests
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case requests
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.requests = try members.decodeIfPresent([RecentRequest].self, forKey: .requests) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.requests, forKey: .requests, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// ExplainRequestRequest names a request.
    public struct ExplainRequestRequest: Codable, Hashable, Sendable {
        /// `X-Request-Id` of the request and of its response. Of several with the same, the newest is explained. Required.
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

    /// ExplainRequestResponse holds the explanation.
    public struct ExplainRequestResponse: Codable, Hashable, Sendable {
        /// How the request was decided.
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

    /// RequestService shows recent requests to the caller's tenant: who was denied, why, and what to do.
    ///
    /// It has the last 100 requests of each key that were denied or failed, the last 100 of its users without a key, and of
    /// those that each key made with success a sample: at most one a minute on each process, the last 100. They are kept
    /// for `REQUEST_LOG_DAYS`, 7 by default. Each process stores them once a second, and keeps 20 of each key at a time: of
    /// more denials within a second, some may be absent. Use ListAuditEvents for what must be complete.
    public struct RequestService: Sendable {
        let caller: HTTPCaller

        /// ListRequests lists the recent requests of the caller's tenant, newest first.
        ///
        /// An API key needs the scope `usage:read`. A dashboard user needs `usage:read`.
        ///
        /// - Parameters:
        ///   - pageToken: `next_page_token` of the response before. Default: from the newest request on. The other members must
        ///     be those of the request before.
        ///   - perPage: Maximum number of requests in the response. Default 0: 20. Above 100: 100.
        ///   - from: Requests at or after this instant. Default: all.
        ///   - to: Requests before this instant. Default: all.
        ///   - keyID: Requests with this key. Default: all.
        ///   - verdict: Requests with this verdict. Default: all.
        ///   - reason: Requests with this `reason`, such as `rate_limited`. Default: all.
        ///   - requestID: Requests with this `X-Request-Id`. Default: all.
        ///   - tokenID: Requests with this token of Latchkey's in place of the key. Default: all.
        public func listRequests(
            pageToken: String = "",
            perPage: Int = 0,
            from: Date? = nil,
            to: Date? = nil,
            keyID: String = "",
            verdict: String = "",
            reason: String = "",
            requestID: String = "",
            tokenID: String = ""
        ) async throws -> ListRequestsResponse {
            try await listRequests(
                ListRequestsRequest(pageToken: pageToken, perPage: perPage, from: from, to: to, keyID: keyID, verdict: verdict, reason: reason, requestID: requestID, tokenID: tokenID)
            )
        }

        /// ListRequests, with a request that was made before.
        public func listRequests(_ request: ListRequestsRequest) async throws -> ListRequestsResponse {
            try await caller.call("/api/v1/requests/list", request, isRepeatable: true)
        }

        /// ExplainRequest says which check denied a request, and what to do.
        ///
        /// A request of another tenant is 404, as one that never was.
        ///
        /// An API key needs the scope `usage:read`. A dashboard user needs `usage:read`.
        ///
        /// - Parameters:
        ///   - requestID: `X-Request-Id` of the request and of its response. Of several with the same, the newest is explained.
        ///     Required.
        public func explainRequest(requestID: String) async throws -> ExplainRequestResponse {
            try await explainRequest(ExplainRequestRequest(requestID: requestID))
        }

        /// ExplainRequest, with a request that was made before.
        public func explainRequest(_ request: ExplainRequestRequest) async throws -> ExplainRequestResponse {
            try await caller.call("/api/v1/requests/explain", request, isRepeatable: true)
        }
    }
}
