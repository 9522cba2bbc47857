// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// Actor is who made a call.
    public struct Actor: Codable, Hashable, Sendable {
        /// Kind of caller: `dashboard_user`, `secret_key`, `publishable_key`, `operator`; for reports of leaked keys also
        /// `anonymous`, a call without credentials, and `github`, a report that GitHub has signed; `service`: Latchkey
        /// itself, without a call.
        public var kind: String
        /// The user, or the user that a key acted for; empty without a user.
        public var userID: String
        /// The identity provider of a dashboard user; empty for all others.
        public var issuer: String
        /// The key; empty without a key.
        public var keyID: String
        /// Number of the operator's token that was used, from 1; 0: the caller was not the operator.
        public var operatorToken: Int

        public init(kind: String = "", userID: String = "", issuer: String = "", keyID: String = "", operatorToken: Int = 0) {
            self.kind = kind
            self.userID = userID
            self.issuer = issuer
            self.keyID = keyID
            self.operatorToken = operatorToken
        }

        enum CodingKeys: String, CodingKey {
            case kind
            case userID = "user_id"
            case issuer
            case keyID = "key_id"
            case operatorToken = "operator_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.kind = try members.decodeIfPresent(String.self, forKey: .kind) ?? ""
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.operatorToken = try members.decodeIfPresent(Int.self, forKey: .operatorToken) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.kind, forKey: .kind, unless: "")
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.operatorToken, forKey: .operatorToken, unless: 0)
        }
    }

    /// AuditChange is the change of one member of a record. Of `metadata` and `external_id` it says only that they changed:
    /// both values are absent, because they may be personal data, and events cannot be erased.
    public struct AuditChange: Codable, Hashable, Sendable {
        /// The value before. Absent: the record is new.
        public var old: JSONValue?
        /// The value after. Absent: the record was removed.
        public var new: JSONValue?

        public init(old: JSONValue? = nil, new: JSONValue? = nil) {
            self.old = old
            self.new = new
        }

        enum CodingKeys: String, CodingKey {
            case old
            case new
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.old = try members.decodeValueIfPresent(forKey: .old)
            self.new = try members.decodeValueIfPresent(forKey: .new)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.old, forKey: .old)
            try members.encodeIfPresent(self.new, forKey: .new)
        }
    }

    /// AuditRefusal is a call that was denied because the caller lacked the right.
    public struct AuditRefusal: Codable, Hashable, Sendable {
        /// The RPC, such as `latchkey.v1.ApiKeyService/RevokeApiKey`; empty if the event stands for several calls.
        public var rpc: String
        /// The denial reason.
        public var reason: String
        /// Number of calls that the event stands for. An actor has at most ten events of single calls within a minute.
        public var count: Int

        public init(rpc: String = "", reason: String = "", count: Int = 0) {
            self.rpc = rpc
            self.reason = reason
            self.count = count
        }

        enum CodingKeys: String, CodingKey {
            case rpc
            case reason
            case count
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.rpc = try members.decodeIfPresent(String.self, forKey: .rpc) ?? ""
            self.reason = try members.decodeIfPresent(String.self, forKey: .reason) ?? ""
            self.count = try members.decodeIfPresent(Int.self, forKey: .count) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.rpc, forKey: .rpc, unless: "")
            try members.encode(self.reason, forKey: .reason, unless: "")
            try members.encode(self.count, forKey: .count, unless: 0)
        }
    }

    /// AuditImpersonation counts the calls that a key made for a user within one hour, by `X-On-Behalf-Of`. It never has
    /// the contents of the calls.
    public struct AuditImpersonation: Codable, Hashable, Sendable {
        /// When the hour began.
        public var hour: Date
        /// Number of calls that were admitted.
        public var calls: Int

        public init(hour: Date = Date(timeIntervalSince1970: 0), calls: Int = 0) {
            self.hour = hour
            self.calls = calls
        }

        enum CodingKeys: String, CodingKey {
            case hour
            case calls
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.hour = try members.decodeIfPresent(Date.self, forKey: .hour) ?? Date(timeIntervalSince1970: 0)
            self.calls = try members.decodeIfPresent(Int.self, forKey: .calls) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.hour, forKey: .hour, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.calls, forKey: .calls, unless: 0)
        }
    }

    /// AuditEvent is one change, one refused call, or an hour in which a key acted for a user. Events are never changed,
    /// and removed only when they are old.
    public struct AuditEvent: Codable, Hashable, Sendable {
        /// Identifier of the event, `aud_...`.
        public var eventID: String
        /// When, by the database's clock.
        public var at: Date
        /// Who.
        public var actor: Actor
        /// The action, one of the values of `action` in ListAuditEventsRequest.
        public var action: String
        /// The target of the action: the identifier of a key, an organization, an invitation, a webhook, a user or a
        /// tenant. Empty: the call was refused before its target was known.
        public var targetID: String
        /// The members that changed, by name. Never a key, a token or a hash of one; no email address.
        public var changes: [String: AuditChange]
        /// The client's address; empty if it is unknown.
        public var address: String
        /// `X-Request-Id` of the call.
        public var requestID: String
        /// The trace that `traceparent` of the call names; empty without one.
        public var traceID: String
        /// Present where `action` is `access.denied`.
        public var refusal: AuditRefusal?
        /// The tenant. Only in responses to the operator.
        public var tenantID: String?
        /// Present where `action` is `user.impersonated`: `actor` is the key, `target_id` the user, and `address`,
        /// `request_id` and `trace_id` are those of one of the first calls. An empty `target_id` groups the users beyond
        /// the number that is kept.
        public var impersonation: AuditImpersonation?

        public init(
            eventID: String = "",
            at: Date = Date(timeIntervalSince1970: 0),
            actor: Actor = Actor(),
            action: String = "",
            targetID: String = "",
            changes: [String: AuditChange] = [:],
            address: String = "",
            requestID: String = "",
            traceID: String = "",
            refusal: AuditRefusal? = nil,
            tenantID: String? = nil,
            impersonation: AuditImpersonation? = nil
        ) {
            self.eventID = eventID
            self.at = at
            self.actor = actor
            self.action = action
            self.targetID = targetID
            self.changes = changes
            self.address = address
            self.requestID = requestID
            self.traceID = traceID
            self.refusal = refusal
            self.tenantID = tenantID
            self.impersonation = impersonation
        }

        enum CodingKeys: String, CodingKey {
            case eventID = "event_id"
            case at
            case actor
            case action
            case targetID = "target_id"
            case changes
            case address
            case requestID = "request_id"
            case traceID = "trace_id"
            case refusal
            case tenantID = "tenant_id"
            case impersonation
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.eventID = try members.decodeIfPresent(String.self, forKey: .eventID) ?? ""
            self.at = try members.decodeIfPresent(Date.self, forKey: .at) ?? Date(timeIntervalSince1970: 0)
            self.actor = try members.decodeIfPresent(Actor.self, forKey: .actor) ?? Actor()
            self.action = try members.decodeIfPresent(String.self, forKey: .action) ?? ""
            self.targetID = try members.decodeIfPresent(String.self, forKey: .targetID) ?? ""
            self.changes = try members.decodeIfPresent([String: AuditChange].self, forKey: .changes) ?? [:]
            self.address = try members.decodeIfPresent(String.self, forKey: .address) ?? ""
            self.requestID = try members.decodeIfPresent(String.self, forKey: .requestID) ?? ""
            self.traceID = try members.decodeIfPresent(String.self, forKey: .traceID) ?? ""
            self.refusal = try members.decodeIfPresent(AuditRefusal.self, forKey: .refusal)
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID)
            self.impersonation = try members.decodeIfPresent(AuditImpersonation.self, forKey: .impersonation)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.eventID, forKey: .eventID, unless: "")
            try members.encode(self.at, forKey: .at, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.actor, forKey: .actor, unless: Actor())
            try members.encode(self.action, forKey: .action, unless: "")
            try members.encode(self.targetID, forKey: .targetID, unless: "")
            try members.encode(self.changes, forKey: .changes, unless: [:])
            try members.encode(self.address, forKey: .address, unless: "")
            try members.encode(self.requestID, forKey: .requestID, unless: "")
            try members.encode(self.traceID, forKey: .traceID, unless: "")
            try members.encodeIfPresent(self.refusal, forKey: .refusal)
            try members.encodeIfPresent(self.tenantID, forKey: .tenantID)
            try members.encodeIfPresent(self.impersonation, forKey: .impersonation)
        }
    }
}
