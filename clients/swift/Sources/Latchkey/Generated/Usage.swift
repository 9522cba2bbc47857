// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// UsageStep counts the requests of one hour or day that presented a key.
    public struct UsageStep: Codable, Hashable, Sendable {
        /// When the step begins, in UTC.
        public var from: Date
        /// Requests whose caller was not denied. Exact up to 2^53, like all counts.
        public var successful: Int64
        /// The other requests, by the reason; one that did not occur is absent.
        ///
        /// A reason is a `denial_reason`, or `not_found` for a wrong path or method, or `internal` if the service could not
        /// check the request. A later version may have more.
        public var denied: [String: Int64]

        public init(from: Date = Date(timeIntervalSince1970: 0), successful: Int64 = 0, denied: [String: Int64] = [:]) {
            self.from = from
            self.successful = successful
            self.denied = denied
        }

        enum CodingKeys: String, CodingKey {
            case from
            case successful
            case denied
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.from = try members.decodeIfPresent(Date.self, forKey: .from) ?? Date(timeIntervalSince1970: 0)
            self.successful = try members.decodeIfPresent(Int64.self, forKey: .successful) ?? 0
            self.denied = try members.decodeIfPresent([String: Int64].self, forKey: .denied) ?? [:]
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.from, forKey: .from, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.successful, forKey: .successful, unless: 0)
            try members.encode(self.denied, forKey: .denied, unless: [:])
        }
    }
}
