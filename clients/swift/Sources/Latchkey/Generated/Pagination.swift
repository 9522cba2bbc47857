// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// Pagination says which page of a list an answer holds.
    public struct Pagination: Codable, Hashable, Sendable {
        /// Items on all pages together.
        public var total: Int
        /// This page, from 1.
        public var page: Int
        /// Maximum number of items on one page, 1 to 100.
        public var perPage: Int
        /// Number of pages; 0 when there are no items.
        public var totalPages: Int

        public init(total: Int = 0, page: Int = 0, perPage: Int = 0, totalPages: Int = 0) {
            self.total = total
            self.page = page
            self.perPage = perPage
            self.totalPages = totalPages
        }

        enum CodingKeys: String, CodingKey {
            case total
            case page
            case perPage = "per_page"
            case totalPages = "total_pages"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.total = try members.decodeIfPresent(Int.self, forKey: .total) ?? 0
            self.page = try members.decodeIfPresent(Int.self, forKey: .page) ?? 0
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.totalPages = try members.decodeIfPresent(Int.self, forKey: .totalPages) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.total, forKey: .total, unless: 0)
            try members.encode(self.page, forKey: .page, unless: 0)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.totalPages, forKey: .totalPages, unless: 0)
        }
    }
}
