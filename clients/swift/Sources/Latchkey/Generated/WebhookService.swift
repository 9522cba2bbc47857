// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// CreateWebhookRequest describes the endpoint.
    public struct CreateWebhookRequest: Codable, Hashable, Sendable {
        /// Where to send events: an https URL with a public address, without a user name, at most 2,048 characters.
        /// Required.
        public var url: String
        /// Types of the events to send, 1 to 64, or `*` for all, also those that later versions add. Required.
        public var events: [String]
        /// Description, at most 1,024 characters. Default: empty.
        public var description: String
        /// Your own name for this call, so that it can be repeated without a second webhook.
        ///
        /// Up to 128 characters, unique for each caller for 24 hours. The same call within that time returns the first
        /// one's webhook, without its secret; another one is `client_request_id_reused`. Default empty: each call makes a
        /// webhook.
        public var clientRequestID: String

        public init(url: String, events: [String], description: String = "", clientRequestID: String = "") {
            self.url = url
            self.events = events
            self.description = description
            self.clientRequestID = clientRequestID
        }

        enum CodingKeys: String, CodingKey {
            case url
            case events
            case description
            case clientRequestID = "client_request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.url = try members.decodeIfPresent(String.self, forKey: .url) ?? ""
            self.events = try members.decodeIfPresent([String].self, forKey: .events) ?? []
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.url, forKey: .url, unless: "")
            try members.encode(self.events, forKey: .events, unless: [])
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
        }
    }

    /// CreateWebhookResponse holds the webhook and its secret.
    public struct CreateWebhookResponse: Codable, Hashable, Sendable, CustomReflectable {
        /// The webhook.
        public var result: Webhook
        /// The secret that signs events, `whsec_` and the Base64 of 32 bytes. It cannot be retrieved later.
        public var secret: String
        /// Present, and true, if an earlier call with the same `client_request_id` has made the webhook: `secret` is empty,
        /// since it is handed over once. Without the first answer it is lost: rotate it.
        public var alreadyCreated: Bool?

        public init(result: Webhook = Webhook(), secret: String = "", alreadyCreated: Bool? = nil) {
            self.result = result
            self.secret = secret
            self.alreadyCreated = alreadyCreated
        }

        enum CodingKeys: String, CodingKey {
            case result
            case secret
            case alreadyCreated = "already_created"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Webhook.self, forKey: .result) ?? Webhook()
            self.secret = try members.decodeIfPresent(String.self, forKey: .secret) ?? ""
            self.alreadyCreated = try members.decodeIfPresent(Bool.self, forKey: .alreadyCreated)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Webhook())
            try members.encode(self.secret, forKey: .secret, unless: "")
            try members.encodeIfPresent(self.alreadyCreated, forKey: .alreadyCreated)
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "result": self.result,
                    "secret": redacted(self.secret),
                    "alreadyCreated": self.alreadyCreated as Any,
                ],
                displayStyle: .struct
            )
        }
    }

    /// ListWebhooksRequest has no filters.
    public struct ListWebhooksRequest: Codable, Hashable, Sendable {
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

    /// ListWebhooksResponse is the tenant's webhooks.
    public struct ListWebhooksResponse: Codable, Hashable, Sendable {
        /// The webhooks, the oldest first.
        public var webhooks: [Webhook]
        /// Always empty: the list has one page.
        public var nextPageToken: String

        public init(webhooks: [Webhook] = [], nextPageToken: String = "") {
            self.webhooks = webhooks
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case webhooks
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhooks = try members.decodeIfPresent([Webhook].self, forKey: .webhooks) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhooks, forKey: .webhooks, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// GetWebhookRequest names a webhook.
    public struct GetWebhookRequest: Codable, Hashable, Sendable {
        /// Identifier of the webhook. Required.
        public var webhookID: String

        public init(webhookID: String) {
            self.webhookID = webhookID
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
        }
    }

    /// GetWebhookResponse holds the webhook.
    public struct GetWebhookResponse: Codable, Hashable, Sendable {
        /// The webhook.
        public var result: Webhook

        public init(result: Webhook = Webhook()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Webhook.self, forKey: .result) ?? Webhook()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Webhook())
        }
    }

    /// UpdateWebhookRequest names a webhook, new values and which of them to take.
    public struct UpdateWebhookRequest: Codable, Hashable, Sendable {
        /// Identifier of the webhook. Required.
        public var webhookID: String
        /// New URL, as for a new webhook. It cannot be cleared.
        public var url: String
        /// New event types, as for a new webhook. They cannot be cleared.
        public var events: [String]
        /// New description, at most 1,024 characters. Absent: cleared.
        public var description: String
        /// New status. It cannot be cleared.
        public var status: WebhookStatus
        /// Fields to change, separated by commas: `url`, `events`, `description`, `status`. Required. At most 1,024
        /// characters.
        public var updateMask: String

        public init(
            webhookID: String,
            url: String = "",
            events: [String] = [],
            description: String = "",
            status: WebhookStatus = .unspecified,
            updateMask: String
        ) {
            self.webhookID = webhookID
            self.url = url
            self.events = events
            self.description = description
            self.status = status
            self.updateMask = updateMask
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
            case url
            case events
            case description
            case status
            case updateMask = "update_mask"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
            self.url = try members.decodeIfPresent(String.self, forKey: .url) ?? ""
            self.events = try members.decodeIfPresent([String].self, forKey: .events) ?? []
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.status = try members.decodeIfPresent(WebhookStatus.self, forKey: .status) ?? .unspecified
            self.updateMask = try members.decodeIfPresent(String.self, forKey: .updateMask) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
            try members.encode(self.url, forKey: .url, unless: "")
            try members.encode(self.events, forKey: .events, unless: [])
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.updateMask, forKey: .updateMask, unless: "")
        }
    }

    /// UpdateWebhookResponse holds the webhook.
    public struct UpdateWebhookResponse: Codable, Hashable, Sendable {
        /// The webhook after the change.
        public var result: Webhook

        public init(result: Webhook = Webhook()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Webhook.self, forKey: .result) ?? Webhook()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Webhook())
        }
    }

    /// DeleteWebhookRequest names a webhook.
    public struct DeleteWebhookRequest: Codable, Hashable, Sendable {
        /// Identifier of the webhook. Required.
        public var webhookID: String

        public init(webhookID: String) {
            self.webhookID = webhookID
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
        }
    }

    /// DeleteWebhookResponse is empty.
    public struct DeleteWebhookResponse: Codable, Hashable, Sendable {
        public init() {}
    }

    /// RotateWebhookSecretRequest names a webhook.
    public struct RotateWebhookSecretRequest: Codable, Hashable, Sendable {
        /// Identifier of the webhook. Required.
        public var webhookID: String
        /// Your own name for this call, so that it can be repeated without a second rotation.
        ///
        /// Up to 128 characters, unique for each caller for 24 hours. The same call within that time returns the webhook,
        /// without the secret; another one is `client_request_id_reused`. Default empty: each call makes a secret.
        public var clientRequestID: String

        public init(webhookID: String, clientRequestID: String = "") {
            self.webhookID = webhookID
            self.clientRequestID = clientRequestID
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
            case clientRequestID = "client_request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
        }
    }

    /// RotateWebhookSecretResponse holds the webhook and its new secret.
    public struct RotateWebhookSecretResponse: Codable, Hashable, Sendable, CustomReflectable {
        /// The webhook after the change.
        public var result: Webhook
        /// The new secret, `whsec_` and the Base64 of 32 bytes. It cannot be retrieved later.
        public var secret: String
        /// Present, and true, if an earlier call with the same `client_request_id` has made the secret: `secret` is empty,
        /// since it is handed over once. Without the first answer it is lost: rotate again with another
        /// `client_request_id`.
        public var alreadyCreated: Bool?

        public init(result: Webhook = Webhook(), secret: String = "", alreadyCreated: Bool? = nil) {
            self.result = result
            self.secret = secret
            self.alreadyCreated = alreadyCreated
        }

        enum CodingKeys: String, CodingKey {
            case result
            case secret
            case alreadyCreated = "already_created"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Webhook.self, forKey: .result) ?? Webhook()
            self.secret = try members.decodeIfPresent(String.self, forKey: .secret) ?? ""
            self.alreadyCreated = try members.decodeIfPresent(Bool.self, forKey: .alreadyCreated)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Webhook())
            try members.encode(self.secret, forKey: .secret, unless: "")
            try members.encodeIfPresent(self.alreadyCreated, forKey: .alreadyCreated)
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "result": self.result,
                    "secret": redacted(self.secret),
                    "alreadyCreated": self.alreadyCreated as Any,
                ],
                displayStyle: .struct
            )
        }
    }

    /// TestWebhookRequest names a webhook.
    public struct TestWebhookRequest: Codable, Hashable, Sendable {
        /// Identifier of the webhook. Required.
        public var webhookID: String

        public init(webhookID: String) {
            self.webhookID = webhookID
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
        }
    }

    /// TestWebhookResponse holds what came back.
    public struct TestWebhookResponse: Codable, Hashable, Sendable {
        /// The endpoint's answer.
        public var result: WebhookTest

        public init(result: WebhookTest = WebhookTest()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(WebhookTest.self, forKey: .result) ?? WebhookTest()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: WebhookTest())
        }
    }

    /// WebhookTest is one attempt to send an event of type `webhook.test`.
    public struct WebhookTest: Codable, Hashable, Sendable {
        /// Identifier of the event, the header `webhook-id`.
        public var eventID: String
        /// Whether the endpoint answered 2xx.
        public var delivered: Bool
        /// HTTP status of the answer; 0 without an answer.
        public var status: Int
        /// How long it took, in milliseconds.
        public var durationMs: Int
        /// Why there was no answer; empty if there was one.
        public var error: String
        /// The first 1,024 bytes of the answer; empty without an answer.
        public var answer: String
        /// The body as it was sent.
        public var body: String

        public init(
            eventID: String = "",
            delivered: Bool = false,
            status: Int = 0,
            durationMs: Int = 0,
            error: String = "",
            answer: String = "",
            body: String = ""
        ) {
            self.eventID = eventID
            self.delivered = delivered
            self.status = status
            self.durationMs = durationMs
            self.error = error
            self.answer = answer
            self.body = body
        }

        enum CodingKeys: String, CodingKey {
            case eventID = "event_id"
            case delivered
            case status
            case durationMs = "duration_ms"
            case error
            case answer
            case body
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.eventID = try members.decodeIfPresent(String.self, forKey: .eventID) ?? ""
            self.delivered = try members.decodeIfPresent(Bool.self, forKey: .delivered) ?? false
            self.status = try members.decodeIfPresent(Int.self, forKey: .status) ?? 0
            self.durationMs = try members.decodeIfPresent(Int.self, forKey: .durationMs) ?? 0
            self.error = try members.decodeIfPresent(String.self, forKey: .error) ?? ""
            self.answer = try members.decodeIfPresent(String.self, forKey: .answer) ?? ""
            self.body = try members.decodeIfPresent(String.self, forKey: .body) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.eventID, forKey: .eventID, unless: "")
            try members.encode(self.delivered, forKey: .delivered, unless: false)
            try members.encode(self.status, forKey: .status, unless: 0)
            try members.encode(self.durationMs, forKey: .durationMs, unless: 0)
            try members.encode(self.error, forKey: .error, unless: "")
            try members.encode(self.answer, forKey: .answer, unless: "")
            try members.encode(self.body, forKey: .body, unless: "")
        }
    }

    /// ListWebhookDeliveriesRequest says which deliveries to list. All members are optional.
    public struct ListWebhookDeliveriesRequest: Codable, Hashable, Sendable {
        /// `next_page_token` of the response before. Default: from the newest delivery on.
        ///
        /// The other members must be those of the request before.
        public var pageToken: String
        /// Maximum number of deliveries in the response. Default 0: 20. Above 100: 100; with `include_body` above 20: 20.
        public var perPage: Int
        /// Deliveries to this webhook. One that does not exist is 404. Default: all.
        public var webhookID: String
        /// Deliveries of this event. Default: all.
        public var eventID: String
        /// Deliveries of events of this type. Default: all.
        public var type: String
        /// Deliveries of this status. Default: all.
        public var status: WebhookDeliveryStatus
        /// Whether the deliveries have their `body`. Default: false.
        public var includeBody: Bool

        public init(
            pageToken: String = "",
            perPage: Int = 0,
            webhookID: String = "",
            eventID: String = "",
            type: String = "",
            status: WebhookDeliveryStatus = .unspecified,
            includeBody: Bool = false
        ) {
            self.pageToken = pageToken
            self.perPage = perPage
            self.webhookID = webhookID
            self.eventID = eventID
            self.type = type
            self.status = status
            self.includeBody = includeBody
        }

        enum CodingKeys: String, CodingKey {
            case pageToken = "page_token"
            case perPage = "per_page"
            case webhookID = "webhook_id"
            case eventID = "event_id"
            case type
            case status
            case includeBody = "include_body"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
            self.eventID = try members.decodeIfPresent(String.self, forKey: .eventID) ?? ""
            self.type = try members.decodeIfPresent(String.self, forKey: .type) ?? ""
            self.status = try members.decodeIfPresent(WebhookDeliveryStatus.self, forKey: .status) ?? .unspecified
            self.includeBody = try members.decodeIfPresent(Bool.self, forKey: .includeBody) ?? false
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
            try members.encode(self.eventID, forKey: .eventID, unless: "")
            try members.encode(self.type, forKey: .type, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.includeBody, forKey: .includeBody, unless: false)
        }
    }

    /// ListWebhookDeliveriesResponse is one page of deliveries.
    public struct ListWebhookDeliveriesResponse: Codable, Hashable, Sendable {
        /// The deliveries, newest first.
        public var deliveries: [WebhookDelivery]
        /// Names the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(deliveries: [WebhookDelivery] = [], nextPageToken: String = "") {
            self.deliveries = deliveries
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case deliveries
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.deliveries = try members.decodeIfPresent([WebhookDelivery].self, forKey: .deliveries) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.deliveries, forKey: .deliveries, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// RedeliverWebhookEventsRequest names an event, or a webhook and an instant.
    public struct RedeliverWebhookEventsRequest: Codable, Hashable, Sendable {
        /// The webhook. Required with `since`; with `event_id` it is optional: default, all enabled webhooks that the event
        /// was for.
        public var webhookID: String?
        /// The event to send again. Exactly one of `event_id` and `since` is required.
        public var eventID: String?
        /// Send again all deliveries created at or after this instant.
        public var since: Date?
        /// With `since`: only those that have failed. Default: all.
        public var onlyFailed: Bool
        /// With `since`: `next_page_token` of the previous response; the other members must be the same as before. Default:
        /// from the oldest on.
        public var pageToken: String

        public init(
            webhookID: String? = nil,
            eventID: String? = nil,
            since: Date? = nil,
            onlyFailed: Bool = false,
            pageToken: String = ""
        ) {
            self.webhookID = webhookID
            self.eventID = eventID
            self.since = since
            self.onlyFailed = onlyFailed
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
            case eventID = "event_id"
            case since
            case onlyFailed = "only_failed"
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID)
            self.eventID = try members.decodeIfPresent(String.self, forKey: .eventID)
            self.since = try members.decodeIfPresent(Date.self, forKey: .since)
            self.onlyFailed = try members.decodeIfPresent(Bool.self, forKey: .onlyFailed) ?? false
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.webhookID, forKey: .webhookID)
            try members.encodeIfPresent(self.eventID, forKey: .eventID)
            try members.encodeIfPresent(self.since, forKey: .since)
            try members.encode(self.onlyFailed, forKey: .onlyFailed, unless: false)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }
    }

    /// RedeliverWebhookEventsResponse says how many deliveries are sent again.
    public struct RedeliverWebhookEventsResponse: Codable, Hashable, Sendable {
        /// Number of deliveries that this call sends again.
        public var redelivered: Int
        /// The token for the remaining deliveries. Empty: all were sent again.
        public var nextPageToken: String

        public init(redelivered: Int = 0, nextPageToken: String = "") {
            self.redelivered = redelivered
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case redelivered
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.redelivered = try members.decodeIfPresent(Int.self, forKey: .redelivered) ?? 0
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.redelivered, forKey: .redelivered, unless: 0)
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// WebhookService sends what happens in the caller's tenant to endpoints of its own, signed as Standard Webhooks says.
    ///
    /// Callers: dashboard users and secret keys. A webhook of another tenant is answered exactly like one that does not
    /// exist.
    ///
    /// Each event is sent at least once, in no particular order: the header `webhook-id` names it, the same on every
    /// attempt. The answer 2xx within 10 seconds delivers it. Otherwise it is tried again after 5 seconds, 5 and 30
    /// minutes, and 2, 5, 10, 14, 20 and 24 hours. The answer 410 disables the webhook, and so do five days without a
    /// success. Redirects are not followed.
    public struct WebhookService: Sendable {
        let caller: HTTPCaller

        /// CreateWebhook adds an endpoint. A tenant has at most 20.
        ///
        /// The response holds its secret, once. Events that happen from then on are sent to it.
        ///
        /// An API key needs the scope `webhooks:write`. A dashboard user needs `webhooks:write`.
        ///
        /// - Parameters:
        ///   - url: Where to send events: an https URL with a public address, without a user name, at most 2,048 characters.
        ///     Required.
        ///   - events: Types of the events to send, 1 to 64, or `*` for all, also those that later versions add. Required.
        ///   - description: Description, at most 1,024 characters. Default: empty.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated without a second webhook. Up to 128
        ///     characters, unique for each caller for 24 hours. The same call within that time returns the first one's webhook,
        ///     without its secret; another one is `client_request_id_reused`. Default empty: each call makes a webhook.
        public func createWebhook(
            url: String,
            events: [String],
            description: String = "",
            clientRequestID: String = ""
        ) async throws -> CreateWebhookResponse {
            try await createWebhook(
                CreateWebhookRequest(url: url, events: events, description: description, clientRequestID: clientRequestID)
            )
        }

        /// CreateWebhook, with a request that was made before.
        public func createWebhook(_ request: CreateWebhookRequest) async throws -> CreateWebhookResponse {
            let response: CreateWebhookResponse = try await caller.call("/api/v1/webhooks/create", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.webhookID) }
            return response
        }

        /// ListWebhooks lists all webhooks of the caller's tenant, the oldest first.
        ///
        /// An API key needs the scope `webhooks:read`. A dashboard user needs `webhooks:read`.
        ///
        /// - Parameters:
        ///   - pageToken: Takes only the empty text: the response is the whole list. It is there because every list has it.
        public func listWebhooks(pageToken: String = "") async throws -> ListWebhooksResponse {
            try await listWebhooks(ListWebhooksRequest(pageToken: pageToken))
        }

        /// ListWebhooks, with a request that was made before.
        public func listWebhooks(_ request: ListWebhooksRequest) async throws -> ListWebhooksResponse {
            try await caller.call("/api/v1/webhooks/list", request, isRepeatable: true)
        }

        /// GetWebhook reads one webhook.
        ///
        /// An API key needs the scope `webhooks:read`. A dashboard user needs `webhooks:read`.
        ///
        /// - Parameters:
        ///   - webhookID: Identifier of the webhook. Required.
        public func getWebhook(webhookID: String) async throws -> GetWebhookResponse {
            try await getWebhook(GetWebhookRequest(webhookID: webhookID))
        }

        /// GetWebhook, with a request that was made before.
        public func getWebhook(_ request: GetWebhookRequest) async throws -> GetWebhookResponse {
            try await caller.call("/api/v1/webhooks/get", request, isRepeatable: true)
        }

        /// UpdateWebhook changes the fields that `update_mask` names, and no other.
        ///
        /// With `status` it disables and enables: enabling a webhook clears its failures. Events that occur while it is
        /// disabled are never sent; deliveries that failed before can be redelivered.
        ///
        /// An API key needs the scope `webhooks:write`. A dashboard user needs `webhooks:write`.
        ///
        /// - Parameters:
        ///   - webhookID: Identifier of the webhook. Required.
        ///   - url: New URL, as for a new webhook. It cannot be cleared.
        ///   - events: New event types, as for a new webhook. They cannot be cleared.
        ///   - description: New description, at most 1,024 characters. Absent: cleared.
        ///   - status: New status. It cannot be cleared.
        ///   - updateMask: Fields to change, separated by commas: `url`, `events`, `description`, `status`. Required. At most
        ///     1,024 characters.
        public func updateWebhook(
            webhookID: String,
            url: String = "",
            events: [String] = [],
            description: String = "",
            status: WebhookStatus = .unspecified,
            updateMask: String
        ) async throws -> UpdateWebhookResponse {
            try await updateWebhook(
                UpdateWebhookRequest(webhookID: webhookID, url: url, events: events, description: description, status: status, updateMask: updateMask)
            )
        }

        /// UpdateWebhook, with a request that was made before.
        public func updateWebhook(_ request: UpdateWebhookRequest) async throws -> UpdateWebhookResponse {
            try await caller.call("/api/v1/webhooks/update", request, isRepeatable: false)
        }

        /// DeleteWebhook removes a webhook with its deliveries. It cannot be undone.
        ///
        /// An attempt that is under way ends by itself; no other begins. Deleting again is 404.
        ///
        /// An API key needs the scope `webhooks:write`. A dashboard user needs `webhooks:write`.
        ///
        /// - Parameters:
        ///   - webhookID: Identifier of the webhook. Required.
        public func deleteWebhook(webhookID: String) async throws -> DeleteWebhookResponse {
            try await deleteWebhook(DeleteWebhookRequest(webhookID: webhookID))
        }

        /// DeleteWebhook, with a request that was made before.
        public func deleteWebhook(_ request: DeleteWebhookRequest) async throws -> DeleteWebhookResponse {
            try await caller.call("/api/v1/webhooks/delete", request, isRepeatable: false)
        }

        /// RotateWebhookSecret makes a new secret, which the response holds, once.
        ///
        /// For 24 hours events are signed with both secrets, so that a receiver with either accepts them. Of several rotations
        /// within that time, each secret signs for 24 hours from its own. At most five sign: a further rotation is refused with
        /// `too_many_webhook_secrets` until the oldest ends.
        ///
        /// An API key needs the scope `webhooks:write`. A dashboard user needs `webhooks:write`.
        ///
        /// - Parameters:
        ///   - webhookID: Identifier of the webhook. Required.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated without a second rotation. Up to 128
        ///     characters, unique for each caller for 24 hours. The same call within that time returns the webhook, without the
        ///     secret; another one is `client_request_id_reused`. Default empty: each call makes a secret.
        public func rotateWebhookSecret(
            webhookID: String,
            clientRequestID: String = ""
        ) async throws -> RotateWebhookSecretResponse {
            try await rotateWebhookSecret(RotateWebhookSecretRequest(webhookID: webhookID, clientRequestID: clientRequestID))
        }

        /// RotateWebhookSecret, with a request that was made before.
        public func rotateWebhookSecret(_ request: RotateWebhookSecretRequest) async throws -> RotateWebhookSecretResponse {
            let response: RotateWebhookSecretResponse = try await caller.call("/api/v1/webhooks/rotate-secret", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.webhookID) }
            return response
        }

        /// TestWebhook sends an event of type `webhook.test` at once, and returns the endpoint's answer.
        ///
        /// It is tried once and is not a delivery. A disabled webhook can be tested.
        ///
        /// An API key needs the scope `webhooks:write`. A dashboard user needs `webhooks:write`.
        ///
        /// - Parameters:
        ///   - webhookID: Identifier of the webhook. Required.
        public func testWebhook(webhookID: String) async throws -> TestWebhookResponse {
            try await testWebhook(TestWebhookRequest(webhookID: webhookID))
        }

        /// TestWebhook, with a request that was made before.
        public func testWebhook(_ request: TestWebhookRequest) async throws -> TestWebhookResponse {
            try await caller.call("/api/v1/webhooks/test", request, isRepeatable: false)
        }

        /// ListWebhookDeliveries lists the deliveries of the caller's tenant, newest first.
        ///
        /// They are kept for 30 days.
        ///
        /// An API key needs the scope `webhooks:read`. A dashboard user needs `webhooks:read`.
        ///
        /// - Parameters:
        ///   - pageToken: `next_page_token` of the response before. Default: from the newest delivery on. The other members
        ///     must be those of the request before.
        ///   - perPage: Maximum number of deliveries in the response. Default 0: 20. Above 100: 100; with `include_body` above
        ///     20: 20.
        ///   - webhookID: Deliveries to this webhook. One that does not exist is 404. Default: all.
        ///   - eventID: Deliveries of this event. Default: all.
        ///   - type: Deliveries of events of this type. Default: all.
        ///   - status: Deliveries of this status. Default: all.
        ///   - includeBody: Whether the deliveries have their `body`. Default: false.
        public func listWebhookDeliveries(
            pageToken: String = "",
            perPage: Int = 0,
            webhookID: String = "",
            eventID: String = "",
            type: String = "",
            status: WebhookDeliveryStatus = .unspecified,
            includeBody: Bool = false
        ) async throws -> ListWebhookDeliveriesResponse {
            try await listWebhookDeliveries(
                ListWebhookDeliveriesRequest(pageToken: pageToken, perPage: perPage, webhookID: webhookID, eventID: eventID, type: type, status: status, includeBody: includeBody)
            )
        }

        /// ListWebhookDeliveries, with a request that was made before.
        public func listWebhookDeliveries(_ request: ListWebhookDeliveriesRequest) async throws -> ListWebhookDeliveriesResponse {
            try await caller.call("/api/v1/webhooks/deliveries/list", request, isRepeatable: true)
        }

        /// RedeliverWebhookEvents sends one event again, or all of a webhook since an instant, as if it had not been tried yet.
        ///
        /// The body and the event's identifier are the same as the first time. Deliveries that are still pending are tried at
        /// once. It sends nothing to disabled webhooks. At most 1,000 deliveries of a call, the oldest first: `next_page_token`
        /// names the rest.
        ///
        /// An API key needs the scope `webhooks:write`. A dashboard user needs `webhooks:write`.
        ///
        /// - Parameters:
        ///   - webhookID: The webhook. Required with `since`; with `event_id` it is optional: default, all enabled webhooks
        ///     that the event was for.
        ///   - eventID: The event to send again. Exactly one of `event_id` and `since` is required.
        ///   - since: Send again all deliveries created at or after this instant.
        ///   - onlyFailed: With `since`: only those that have failed. Default: all.
        ///   - pageToken: With `since`: `next_page_token` of the previous response; the other members must be the same as
        ///     before. Default: from the oldest on.
        public func redeliverWebhookEvents(
            webhookID: String? = nil,
            eventID: String? = nil,
            since: Date? = nil,
            onlyFailed: Bool = false,
            pageToken: String = ""
        ) async throws -> RedeliverWebhookEventsResponse {
            try await redeliverWebhookEvents(
                RedeliverWebhookEventsRequest(webhookID: webhookID, eventID: eventID, since: since, onlyFailed: onlyFailed, pageToken: pageToken)
            )
        }

        /// RedeliverWebhookEvents, with a request that was made before.
        public func redeliverWebhookEvents(_ request: RedeliverWebhookEventsRequest) async throws -> RedeliverWebhookEventsResponse {
            try await caller.call("/api/v1/webhooks/deliveries/redeliver", request, isRepeatable: false)
        }
    }
}
