// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// ListAuditEventsRequest says which events to list. All members are optional.
    public struct ListAuditEventsRequest: Codable, Hashable, Sendable {
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
        /// Events of this actor: the `user_id` of a dashboard user, the `key_id` of a key, or `operator`, `anonymous`,
        /// `github` or `service`. Default: all.
        public var actorID: String
        /// Events of this action. Default: all.
        public var action: String
        /// Events about this key, organization, invitation, webhook, user or tenant. Default: all.
        public var targetID: String
        /// Events of this request: the `request_id` of an event, and the header `X-Request-Id` of its response. Default:
        /// all.
        public var requestID: String

        public init(
            pageToken: String = "",
            perPage: Int = 0,
            from: Date? = nil,
            to: Date? = nil,
            actorID: String = "",
            action: String = "",
            targetID: String = "",
            requestID: String = ""
        ) {
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

    /// ListAuditEventsResponse is one page of events.
    public struct ListAuditEventsResponse: Codable, Hashable, Sendable {
        /// The events, newest first.
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

    /// AuditService shows who did what to the caller's tenant, and when.
    public struct AuditService: Sendable {
        let caller: HTTPCaller

        /// ListAuditEvents lists the events of the caller's tenant, newest first.
        ///
        /// There is an event for every call that changed a key, an organization, a member, an invitation, a webhook or the
        /// tenant's suspension, committed with the change itself, and for calls that were refused because their callers lacked
        /// the right to such a change. There is one for each hour in which a key acted for a user by `X-On-Behalf-Of`, a few
        /// minutes after the hour. Events are kept for as many days as the operator has set, 365 by default.
        ///
        /// An API key needs the scope `audit:read`. A dashboard user needs `audit:read`.
        ///
        /// - Parameters:
        ///   - pageToken: `next_page_token` of the response before. Default: from the newest event on. The other members must
        ///     be those of the request before.
        ///   - perPage: Maximum number of events in the response. Default 0: 20. Above 100: 100.
        ///   - from: Events at or after this instant. Default: all.
        ///   - to: Events before this instant. Default: all.
        ///   - actorID: Events of this actor: the `user_id` of a dashboard user, the `key_id` of a key, or `operator`,
        ///     `anonymous`, `github` or `service`. Default: all.
        ///   - action: Events of this action. Default: all.
        ///   - targetID: Events about this key, organization, invitation, webhook, user or tenant. Default: all.
        ///   - requestID: Events of this request: the `request_id` of an event, and the header `X-Request-Id` of its response.
        ///     Default: all.
        public func listAuditEvents(
            pageToken: String = "",
            perPage: Int = 0,
            from: Date? = nil,
            to: Date? = nil,
            actorID: String = "",
            action: String = "",
            targetID: String = "",
            requestID: String = ""
        ) async throws -> ListAuditEventsResponse {
            try await listAuditEvents(
                ListAuditEventsRequest(pageToken: pageToken, perPage: perPage, from: from, to: to, actorID: actorID, action: action, targetID: targetID, requestID: requestID)
            )
        }

        /// ListAuditEvents, with a request that was made before.
        public func listAuditEvents(_ request: ListAuditEventsRequest) async throws -> ListAuditEventsResponse {
            try await caller.call("/api/v1/audit/list", request, isRepeatable: true)
        }
    }
}
