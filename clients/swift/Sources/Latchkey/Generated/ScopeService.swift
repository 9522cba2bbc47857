// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// ListScopesRequest has no filters.
    public struct ListScopesRequest: Codable, Hashable, Sendable {
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

    /// ListScopesResponse is the catalogue.
    public struct ListScopesResponse: Codable, Hashable, Sendable {
        /// All scopes. A key can also hold `*` and, for each domain, `domain:*`.
        public var scopes: [Scope]
        /// Always empty: the list has one page.
        public var nextPageToken: String

        public init(scopes: [Scope] = [], nextPageToken: String = "") {
            self.scopes = scopes
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case scopes
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.scopes = try members.decodeIfPresent([Scope].self, forKey: .scopes) ?? []
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.scopes, forKey: .scopes, unless: [])
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// Scope is one action that a caller may be allowed to do.
    public struct Scope: Codable, Hashable, Sendable {
        /// Its name, `domain:action`.
        public var name: String
        /// The action that it allows, as a sentence.
        public var description: String
        /// Whether a publishable key can hold it.
        public var publishable: Bool

        public init(name: String = "", description: String = "", publishable: Bool = false) {
            self.name = name
            self.description = description
            self.publishable = publishable
        }

        enum CodingKeys: String, CodingKey {
            case name
            case description
            case publishable
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.description = try members.decodeIfPresent(String.self, forKey: .description) ?? ""
            self.publishable = try members.decodeIfPresent(Bool.self, forKey: .publishable) ?? false
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.description, forKey: .description, unless: "")
            try members.encode(self.publishable, forKey: .publishable, unless: false)
        }
    }

    /// ScopeService says which scopes there are.
    public struct ScopeService: Sendable {
        let caller: HTTPCaller

        /// ListScopes lists every scope that can be asked for: the built-in ones, then the platform's own.
        ///
        /// Callers: all. It needs no scope and no tenant.
        ///
        /// - Parameters:
        ///   - pageToken: Takes only the empty text: the response is the whole list. It is there because every list has it.
        public func listScopes(pageToken: String = "") async throws -> ListScopesResponse {
            try await listScopes(ListScopesRequest(pageToken: pageToken))
        }

        /// ListScopes, with a request that was made before.
        public func listScopes(_ request: ListScopesRequest) async throws -> ListScopesResponse {
            try await caller.call("/api/v1/scopes/list", request, isRepeatable: true)
        }
    }
}
