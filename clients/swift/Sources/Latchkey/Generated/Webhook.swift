// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// WebhookStatus says whether events are sent to a webhook.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct WebhookStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never in an answer.
        public static let unspecified = WebhookStatus(rawValue: "WEBHOOK_STATUS_UNSPECIFIED")

        /// Events are sent.
        public static let enabled = WebhookStatus(rawValue: "WEBHOOK_STATUS_ENABLED")

        /// No events are sent, and those that happen meanwhile are not kept for it.
        public static let disabled = WebhookStatus(rawValue: "WEBHOOK_STATUS_DISABLED")
    }

    /// WebhookDeliveryStatus is the state of a delivery.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct WebhookDeliveryStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never in an answer.
        public static let unspecified = WebhookDeliveryStatus(rawValue: "WEBHOOK_DELIVERY_STATUS_UNSPECIFIED")

        /// Not delivered yet: `next_attempt_at` says when it is tried.
        public static let pending = WebhookDeliveryStatus(rawValue: "WEBHOOK_DELIVERY_STATUS_PENDING")

        /// The endpoint answered 2xx.
        public static let delivered = WebhookDeliveryStatus(rawValue: "WEBHOOK_DELIVERY_STATUS_DELIVERED")

        /// Given up: the last attempt failed, or the webhook was disabled. RedeliverWebhookEvents tries it again.
        public static let failed = WebhookDeliveryStatus(rawValue: "WEBHOOK_DELIVERY_STATUS_FAILED")
    }

    /// Webhook is an endpoint of the tenant that events are sent to. Its secret is not part of it.
    public struct Webhook: Codable, Hashable, Sendable {
        /// Identifier of the webhook, `whk_...`.
        public var webhookID: String
        /// Where events are sent, by POST.
        public var url: String
        /// Types of the events that are sent, such as `api_key.revoked`, in alphabetical order, or only `*` for all.
        public var events: [String]
        /// Description, at most 1,024 characters.
        public var description: String
        /// Whether events are sent.
        public var status: WebhookStatus
        /// Why it is disabled: `requested` by UpdateWebhook, `gone` since the endpoint answered 410, `failing` since no
        /// delivery succeeded for five days; empty if it is enabled.
        public var disabledReason: String
        /// When it was created.
        public var createdAt: Date
        /// The user who created it. Absent: the user was erased.
        public var createdBy: Actor?
        /// Since when every attempt has failed. Absent: the last one succeeded, or nothing was sent yet.
        public var failingSince: Date?
        /// Until when events are signed with the previous secret too. Absent: they are not.
        public var previousSecretUntil: Date?

        public init(
            webhookID: String = "",
            url: String = "",
            events: [String] = [],
            description: String = "",
            status: WebhookStatus = .unspecified,
            disabledReason: String = "",
            createdAt: Date = Date(timeIntervalSince1970: 0),
            createdBy: Actor? = nil,
            failingSince: Date? = nil,
            previousSecretUntil: Date? = nil
        ) {
            self.webhookID = webhookID
            self.url = url
            self.events = events
            self.description = description
            self.status = status
            self.disabledReason = disabledReason
            self.createdAt = createdAt
            self.createdBy = createdBy
            self.failingSince = failingSince
            self.previousSecretUntil = previousSecretUntil
        }

        enum CodingKeys: String, CodingKey {
            case webhookID = "webhook_id"
            case url
            case events
            case description
            case status
            case disabledReason = "disabled_reason"
            case createdAt = "created_at"
            case createdBy = "created_by"
            case failingSince = "failing_since"
            case previousSecretUntil = "previous_secret_until"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
            self.url = try members.decodeIfPresent(String.self, forKey: .url) ?? ""
            self.events = try members.decodeIfPresent([String].self, forKey: .events) ?? []
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.status = try members.decodeIfPresent(WebhookStatus.self, forKey: .status) ?? .unspecified
            self.disabledReason = try members.decodeIfPresent(String.self, forKey: .disabledReason) ?? ""
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.createdBy = try members.decodeIfPresent(Actor.self, forKey: .createdBy)
            self.failingSince = try members.decodeIfPresent(Date.self, forKey: .failingSince)
            self.previousSecretUntil = try members.decodeIfPresent(Date.self, forKey: .previousSecretUntil)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
            try members.encode(self.url, forKey: .url, unless: "")
            try members.encode(self.events, forKey: .events, unless: [])
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.disabledReason, forKey: .disabledReason, unless: "")
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.createdBy, forKey: .createdBy)
            try members.encodeIfPresent(self.failingSince, forKey: .failingSince)
            try members.encodeIfPresent(self.previousSecretUntil, forKey: .previousSecretUntil)
        }
    }

    /// WebhookDelivery is one event for one webhook.
    public struct WebhookDelivery: Codable, Hashable, Sendable {
        /// Identifier of the delivery, `whd_...`.
        public var deliveryID: String
        /// The webhook.
        public var webhookID: String
        /// Identifier of the event, the header `webhook-id` of each attempt.
        public var eventID: String
        /// Type of the event, such as `api_key.revoked`.
        public var type: String
        /// Whether it was delivered.
        public var status: WebhookDeliveryStatus
        /// Number of attempts since it was created or, if it was, redelivered.
        public var attempts: Int
        /// When it was created.
        public var createdAt: Date
        /// When it is tried next. Absent: it is not.
        public var nextAttemptAt: Date?
        /// When the last attempt began. Absent: nothing was sent yet.
        public var lastAttemptAt: Date?
        /// HTTP status of the answer to the last attempt; 0 if there was no answer.
        public var lastStatus: Int
        /// How long the last attempt took, in milliseconds; 0 before the first attempt.
        public var lastDurationMs: Int
        /// Why the last attempt had no answer, such as a refused connection or a timeout; empty if it had one.
        public var lastError: String
        /// The first 1,024 bytes of the answer to the last attempt; empty without an answer.
        public var lastAnswer: String
        /// When it was delivered. Absent: it was not.
        public var deliveredAt: Date?
        /// The body as it is sent, the same on each attempt. Absent: the request has no `include_body`, or the body is not
        /// prepared yet.
        public var body: String?

        public init(
            deliveryID: String = "",
            webhookID: String = "",
            eventID: String = "",
            type: String = "",
            status: WebhookDeliveryStatus = .unspecified,
            attempts: Int = 0,
            createdAt: Date = Date(timeIntervalSince1970: 0),
            nextAttemptAt: Date? = nil,
            lastAttemptAt: Date? = nil,
            lastStatus: Int = 0,
            lastDurationMs: Int = 0,
            lastError: String = "",
            lastAnswer: String = "",
            deliveredAt: Date? = nil,
            body: String? = nil
        ) {
            self.deliveryID = deliveryID
            self.webhookID = webhookID
            self.eventID = eventID
            self.type = type
            self.status = status
            self.attempts = attempts
            self.createdAt = createdAt
            self.nextAttemptAt = nextAttemptAt
            self.lastAttemptAt = lastAttemptAt
            self.lastStatus = lastStatus
            self.lastDurationMs = lastDurationMs
            self.lastError = lastError
            self.lastAnswer = lastAnswer
            self.deliveredAt = deliveredAt
            self.body = body
        }

        enum CodingKeys: String, CodingKey {
            case deliveryID = "delivery_id"
            case webhookID = "webhook_id"
            case eventID = "event_id"
            case type
            case status
            case attempts
            case createdAt = "created_at"
            case nextAttemptAt = "next_attempt_at"
            case lastAttemptAt = "last_attempt_at"
            case lastStatus = "last_status"
            case lastDurationMs = "last_duration_ms"
            case lastError = "last_error"
            case lastAnswer = "last_answer"
            case deliveredAt = "delivered_at"
            case body
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.deliveryID = try members.decodeIfPresent(String.self, forKey: .deliveryID) ?? ""
            self.webhookID = try members.decodeIfPresent(String.self, forKey: .webhookID) ?? ""
            self.eventID = try members.decodeIfPresent(String.self, forKey: .eventID) ?? ""
            self.type = try members.decodeIfPresent(String.self, forKey: .type) ?? ""
            self.status = try members.decodeIfPresent(WebhookDeliveryStatus.self, forKey: .status) ?? .unspecified
            self.attempts = try members.decodeIfPresent(Int.self, forKey: .attempts) ?? 0
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.nextAttemptAt = try members.decodeIfPresent(Date.self, forKey: .nextAttemptAt)
            self.lastAttemptAt = try members.decodeIfPresent(Date.self, forKey: .lastAttemptAt)
            self.lastStatus = try members.decodeIfPresent(Int.self, forKey: .lastStatus) ?? 0
            self.lastDurationMs = try members.decodeIfPresent(Int.self, forKey: .lastDurationMs) ?? 0
            self.lastError = try members.decodeIfPresent(String.self, forKey: .lastError) ?? ""
            self.lastAnswer = try members.decodeIfPresent(String.self, forKey: .lastAnswer) ?? ""
            self.deliveredAt = try members.decodeIfPresent(Date.self, forKey: .deliveredAt)
            self.body = try members.decodeIfPresent(String.self, forKey: .body)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.deliveryID, forKey: .deliveryID, unless: "")
            try members.encode(self.webhookID, forKey: .webhookID, unless: "")
            try members.encode(self.eventID, forKey: .eventID, unless: "")
            try members.encode(self.type, forKey: .type, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.attempts, forKey: .attempts, unless: 0)
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.nextAttemptAt, forKey: .nextAttemptAt)
            try members.encodeIfPresent(self.lastAttemptAt, forKey: .lastAttemptAt)
            try members.encode(self.lastStatus, forKey: .lastStatus, unless: 0)
            try members.encode(self.lastDurationMs, forKey: .lastDurationMs, unless: 0)
            try members.encode(self.lastError, forKey: .lastError, unless: "")
            try members.encode(self.lastAnswer, forKey: .lastAnswer, unless: "")
            try members.encodeIfPresent(self.deliveredAt, forKey: .deliveredAt)
            try members.encodeIfPresent(self.body, forKey: .body)
        }
    }
}
