// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// RateLimitState is a window of a key's limit at the moment a request was decided, or of its user's limit if that one
    /// denied the request or has fewer requests remaining. Of the minute and the hour it is the window with fewer
    /// remaining, the hour if both are equal; never the bucket.
    public struct RateLimitState: Codable, Hashable, Sendable {
        /// Maximum number of requests in the window. 2147483647: unlimited.
        public var limit: Int
        /// Remaining requests in the window; 0 for every denied request.
        public var remaining: Int
        /// When it resets, to the second; the same instant as `X-RateLimit-Reset`. For a denied request no sooner than a
        /// retry is admitted.
        public var resetAt: Date
        /// `user`: the window is of the limit of the request's user under the key. Absent: it is of the key's own limit.
        public var scope: String?

        public init(limit: Int = 0, remaining: Int = 0, resetAt: Date = Date(timeIntervalSince1970: 0), scope: String? = nil) {
            self.limit = limit
            self.remaining = remaining
            self.resetAt = resetAt
            self.scope = scope
        }

        enum CodingKeys: String, CodingKey {
            case limit
            case remaining
            case resetAt = "reset_at"
            case scope
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? 0
            self.remaining = try members.decodeIfPresent(Int.self, forKey: .remaining) ?? 0
            self.resetAt = try members.decodeIfPresent(Date.self, forKey: .resetAt) ?? Date(timeIntervalSince1970: 0)
            self.scope = try members.decodeIfPresent(String.self, forKey: .scope)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.limit, forKey: .limit, unless: 0)
            try members.encode(self.remaining, forKey: .remaining, unless: 0)
            try members.encode(self.resetAt, forKey: .resetAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.scope, forKey: .scope)
        }
    }
}
