// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// GetUsageRequest names the period.
    public struct GetUsageRequest: Codable, Hashable, Sendable {
        /// The period begins with the step that contains this instant. Default: 24 hours before `to`, or 30 days if the
        /// step is a day. At most 2,400 steps before `to`.
        public var from: Date?
        /// The period ends with the last step that begins before this instant. Default: with the current step.
        public var to: Date?
        /// The length of a step: `hour` or `day`, of UTC. Default: `hour`.
        public var step: String?

        public init(from: Date? = nil, to: Date? = nil, step: String? = nil) {
            self.from = from
            self.to = to
            self.step = step
        }

        enum CodingKeys: String, CodingKey {
            case from
            case to
            case step
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.from = try members.decodeIfPresent(Date.self, forKey: .from)
            self.to = try members.decodeIfPresent(Date.self, forKey: .to)
            self.step = try members.decodeIfPresent(String.self, forKey: .step)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.from, forKey: .from)
            try members.encodeIfPresent(self.to, forKey: .to)
            try members.encodeIfPresent(self.step, forKey: .step)
        }
    }

    /// GetUsageResponse holds the uses.
    public struct GetUsageResponse: Codable, Hashable, Sendable {
        /// The sums of `series`.
        public var result: ApiKeyUsage
        /// Each step of the period in its order, also those without a use.
        public var series: [UsageStep]

        public init(result: ApiKeyUsage = ApiKeyUsage(), series: [UsageStep] = []) {
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
            self.series = try members.decodeIfPresent([UsageStep].self, forKey: .series) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: ApiKeyUsage())
            try members.encode(self.series, forKey: .series, unless: [])
        }
    }

    /// ListTopKeysRequest names the period.
    public struct ListTopKeysRequest: Codable, Hashable, Sendable {
        /// The period begins with the hour of UTC that contains this instant. Default: 24 hours before `to`. At most 2,400
        /// hours before `to`.
        public var from: Date?
        /// The period ends with the last hour that begins before this instant. Default: with the current hour.
        public var to: Date?
        /// Maximum number of keys in the response. Default 0: 10. Above 100: 100.
        public var perPage: Int
        /// Counts only requests that were denied for this reason, such as `rate_limited`, and leaves keys without one out.
        /// Default: counts all requests.
        ///
        /// A reason is one of those of a `UsageStep`.
        public var reason: String
        /// Takes only the empty text: the response is the whole list. It is there because every list has it.
        public var pageToken: String

        public init(from: Date? = nil, to: Date? = nil, perPage: Int = 0, reason: String = "", pageToken: String = "") {
            self.from = from
            self.to = to
            self.perPage = perPage
            self.reason = reason
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case from
            case to
            case perPage = "per_page"
            case reason
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.from = try members.decodeIfPresent(Date.self, forKey: .from)
            self.to = try members.decodeIfPresent(Date.self, forKey: .to)
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.reason = try members.decodeIfPresent(String.self, forKey: .reason) ?? ""
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encodeIfPresent(self.from, forKey: .from)
            try members.encodeIfPresent(self.to, forKey: .to)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.reason, forKey: .reason, unless: "")
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }
    }

    /// ListTopKeysResponse holds the keys.
    public struct ListTopKeysResponse: Codable, Hashable, Sendable {
        /// The keys with most requests first; those without a use in the period are absent.
        public var keys: [TopKey]
        /// Always empty: the list has one page.
        public var nextPageToken: String

        public init(keys: [TopKey] = [], nextPageToken: String = "") {
            self.keys = keys
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case keys
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keys = try members.decodeIfPresent([TopKey].self, forKey: .keys) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keys, forKey: .keys, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// TopKey is a key and the requests of the period that presented it. `total = successful + failed`, always.
    public struct TopKey: Codable, Hashable, Sendable {
        /// Identifier of the key.
        public var keyID: String
        /// The key's label.
        public var name: String
        /// Requests with this key.
        public var totalVerifications: Int64
        /// Requests whose caller was not denied.
        public var successfulVerifications: Int64
        /// Denied requests, and requests with a wrong path or method.
        public var failedVerifications: Int64

        public init(
            keyID: String = "",
            name: String = "",
            totalVerifications: Int64 = 0,
            successfulVerifications: Int64 = 0,
            failedVerifications: Int64 = 0
        ) {
            self.keyID = keyID
            self.name = name
            self.totalVerifications = totalVerifications
            self.successfulVerifications = successfulVerifications
            self.failedVerifications = failedVerifications
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case name
            case totalVerifications = "total_verifications"
            case successfulVerifications = "successful_verifications"
            case failedVerifications = "failed_verifications"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyID = try members.decodeIfPresent(String.self, forKey: .keyID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.totalVerifications = try members.decodeIfPresent(Int64.self, forKey: .totalVerifications) ?? 0
            self.successfulVerifications = try members.decodeIfPresent(Int64.self, forKey: .successfulVerifications) ?? 0
            self.failedVerifications = try members.decodeIfPresent(Int64.self, forKey: .failedVerifications) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyID, forKey: .keyID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.totalVerifications, forKey: .totalVerifications, unless: 0)
            try members.encode(self.successfulVerifications, forKey: .successfulVerifications, unless: 0)
            try members.encode(self.failedVerifications, forKey: .failedVerifications, unless: 0)
        }
    }

    /// UsageService shows how the keys of the caller's tenant are used, and when.
    ///
    /// Callers: dashboard users and secret keys with `usage:read`, as those of RequestService. Replicas store what they
    /// count once a second, and responses have what is stored: they lack the last second, or some seconds with more than
    /// 2,000 keys in use. GetApiKeyUsage lacks nothing. Uses are kept for `USAGE_DAYS`, 90 by default.
    public struct UsageService: Sendable {
        let caller: HTTPCaller

        /// GetUsage reads the uses of all keys of the tenant in a period.
        ///
        /// An API key needs the scope `usage:read`. A dashboard user needs `usage:read`.
        ///
        /// - Parameters:
        ///   - from: The period begins with the step that contains this instant. Default: 24 hours before `to`, or 30 days if
        ///     the step is a day. At most 2,400 steps before `to`.
        ///   - to: The period ends with the last step that begins before this instant. Default: with the current step.
        ///   - step: The length of a step: `hour` or `day`, of UTC. Default: `hour`.
        public func getUsage(from: Date? = nil, to: Date? = nil, step: String? = nil) async throws -> GetUsageResponse {
            try await getUsage(GetUsageRequest(from: from, to: to, step: step))
        }

        /// GetUsage, with a request that was made before.
        public func getUsage(_ request: GetUsageRequest) async throws -> GetUsageResponse {
            try await caller.call("/api/v1/usage/get", request, isRepeatable: true)
        }

        /// ListTopKeys lists the keys of the tenant that were used most in a period, whatever their status.
        ///
        /// An API key needs the scope `usage:read`. A dashboard user needs `usage:read`.
        ///
        /// - Parameters:
        ///   - from: The period begins with the hour of UTC that contains this instant. Default: 24 hours before `to`. At most
        ///     2,400 hours before `to`.
        ///   - to: The period ends with the last hour that begins before this instant. Default: with the current hour.
        ///   - perPage: Maximum number of keys in the response. Default 0: 10. Above 100: 100.
        ///   - reason: Counts only requests that were denied for this reason, such as `rate_limited`, and leaves keys without
        ///     one out. Default: counts all requests. A reason is one of those of a `UsageStep`.
        ///   - pageToken: Takes only the empty text: the response is the whole list. It is there because every list has it.
        public func listTopKeys(
            from: Date? = nil,
            to: Date? = nil,
            perPage: Int = 0,
            reason: String = "",
            pageToken: String = ""
        ) async throws -> ListTopKeysResponse {
            try await listTopKeys(ListTopKeysRequest(from: from, to: to, perPage: perPage, reason: reason, pageToken: pageToken))
        }

        /// ListTopKeys, with a request that was made before.
        public func listTopKeys(_ request: ListTopKeysRequest) async throws -> ListTopKeysResponse {
            try await caller.call("/api/v1/usage/top-keys", request, isRepeatable: true)
        }
    }
}
