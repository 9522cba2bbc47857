// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// ReportLeakedKeysRequest is a list of keys that were found.
    public struct ReportLeakedKeysRequest: Codable, Hashable, Sendable {
        /// The reports, 1 to 100. Required.
        public var reports: [LeakReport]

        public init(reports: [LeakReport]) {
            self.reports = reports
        }

        enum CodingKeys: String, CodingKey {
            case reports
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.reports = try members.decodeIfPresent([LeakReport].self, forKey: .reports) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.reports, forKey: .reports, unless: [])
        }
    }

    /// LeakReport is one key that was found.
    public struct LeakReport: Codable, Hashable, Sendable, CustomReflectable {
        /// The key's full value, at most 512 characters. Required.
        public var key: String
        /// Where it was found: an http or https URL without a user name, at most 2,048 characters. Default: not known.
        public var url: String
        /// The kind of place, or the program that found it, such as `gist` or `our scanner`: at most 64 characters.
        /// Default: not known.
        public var source: String

        public init(key: String = "", url: String = "", source: String = "") {
            self.key = key
            self.url = url
            self.source = source
        }

        enum CodingKeys: String, CodingKey {
            case key
            case url
            case source
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.key = try members.decodeIfPresent(String.self, forKey: .key) ?? ""
            self.url = try members.decodeIfPresent(String.self, forKey: .url) ?? ""
            self.source = try members.decodeIfPresent(String.self, forKey: .source) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.key, forKey: .key, unless: "")
            try members.encode(self.url, forKey: .url, unless: "")
            try members.encode(self.source, forKey: .source, unless: "")
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "key": redacted(self.key),
                    "url": self.url,
                    "source": self.source,
                ],
                displayStyle: .struct
            )
        }
    }

    /// ReportLeakedKeysResponse is empty, whatever was reported.
    public struct ReportLeakedKeysResponse: Codable, Hashable, Sendable {
        public init() {}
    }

    /// LeakService takes reports of keys that were found where anyone can read them.
    public struct LeakService: Sendable {
        let caller: HTTPCaller

        /// ReportLeakedKeys disables the secret keys among those that are reported, before it responds, on every replica.
        ///
        /// Callers: anyone. Credentials that are sent are not looked at: who knows a key may report it. The response is the
        /// same whatever was reported: keys in use, unknown or malformed ones, those that have ended, publishable keys. A
        /// publishable key is public by its purpose and stays as it is. A client's address may report 200 keys in a minute, and
        /// all clients of a replica 2,000; beyond that it is 429 with `Retry-After`.
        ///
        /// - Parameters:
        ///   - reports: The reports, 1 to 100. Required.
        public func reportLeakedKeys(reports: [LeakReport]) async throws -> ReportLeakedKeysResponse {
            try await reportLeakedKeys(ReportLeakedKeysRequest(reports: reports))
        }

        /// ReportLeakedKeys, with a request that was made before.
        public func reportLeakedKeys(_ request: ReportLeakedKeysRequest) async throws -> ReportLeakedKeysResponse {
            try await caller.call("/api/v1/api-keys/report-leak", request, isRepeatable: false)
        }
    }
}
