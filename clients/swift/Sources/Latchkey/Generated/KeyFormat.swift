// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// KeyFormat says what the keys of another system look like, and how that system has hashed them, so that its keys can
    /// be imported.
    ///
    /// A format never changes, and no text fits two formats. A text that is a key of this service by its checksum fits no
    /// format, and neither does a JWT.
    public struct KeyFormat: Codable, Hashable, Sendable {
        /// Name of the format, 1 to 64 lower-case letters, digits, `-` and `_`.
        public var keyFormat: String
        /// What every key begins with. Empty: nothing.
        public var prefix: String
        /// Minimum length of a key, with the prefix.
        public var lengthMin: Int
        /// Maximum length of a key, with the prefix.
        public var lengthMax: Int
        /// The characters behind the prefix: `HEX` (both cases), `BASE62`, `BASE64URL`, `VISIBLE` (ASCII from `!` to `~`
        /// without the comma) or `UUID` (36 characters with hyphens).
        public var alphabet: String
        /// `AS_SENT`, or `LOWER` if the other system compares keys without case and hashes them in lower case.
        public var `case`: String
        /// How a key becomes the digest that was stored: `SHA256`, `SHA512`, `HMAC_SHA256` or `HMAC_SHA512` with the pepper
        /// as the key, or `SHA256_SUFFIX`, the SHA-256 of the text and the pepper behind it.
        public var algorithm: String
        /// Name of the pepper in the file of `KEY_PEPPERS_FILE`. Empty: the algorithm has none.
        public var pepper: String
        /// What was hashed: `WHOLE`, the whole text, or `AFTER_LAST`, what follows the last `separator`.
        public var hashedPart: String
        /// The character between the public and the hashed part. Empty: the whole text is hashed.
        public var separator: String
        /// Whether keys may also come as `Authorization: Bearer <key>`, without `X-API-Key`.
        public var bearer: Bool
        /// Tenants whose dashboard users may import keys of the format by their hash. The operator may for any tenant.
        public var tenants: [String]
        /// When the format was created.
        public var createdAt: Date
        /// Why this process cannot check keys of the format, as a sentence: its pepper is missing or is another one.
        /// Absent: it can.
        public var problem: String?

        public init(
            keyFormat: String = "",
            prefix: String = "",
            lengthMin: Int = 0,
            lengthMax: Int = 0,
            alphabet: String = "",
            case: String = "",
            algorithm: String = "",
            pepper: String = "",
            hashedPart: String = "",
            separator: String = "",
            bearer: Bool = false,
            tenants: [String] = [],
            createdAt: Date = Date(timeIntervalSince1970: 0),
            problem: String? = nil
        ) {
            self.keyFormat = keyFormat
            self.prefix = prefix
            self.lengthMin = lengthMin
            self.lengthMax = lengthMax
            self.alphabet = alphabet
            self.case = `case`
            self.algorithm = algorithm
            self.pepper = pepper
            self.hashedPart = hashedPart
            self.separator = separator
            self.bearer = bearer
            self.tenants = tenants
            self.createdAt = createdAt
            self.problem = problem
        }

        enum CodingKeys: String, CodingKey {
            case keyFormat = "key_format"
            case prefix
            case lengthMin = "length_min"
            case lengthMax = "length_max"
            case alphabet
            case `case`
            case algorithm
            case pepper
            case hashedPart = "hashed_part"
            case separator
            case bearer
            case tenants
            case createdAt = "created_at"
            case problem
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.keyFormat = try members.decodeIfPresent(String.self, forKey: .keyFormat) ?? ""
            self.prefix = try members.decodeIfPresent(String.self, forKey: .prefix) ?? ""
            self.lengthMin = try members.decodeIfPresent(Int.self, forKey: .lengthMin) ?? 0
            self.lengthMax = try members.decodeIfPresent(Int.self, forKey: .lengthMax) ?? 0
            self.alphabet = try members.decodeIfPresent(String.self, forKey: .alphabet) ?? ""
            self.case = try members.decodeIfPresent(String.self, forKey: .case) ?? ""
            self.algorithm = try members.decodeIfPresent(String.self, forKey: .algorithm) ?? ""
            self.pepper = try members.decodeIfPresent(String.self, forKey: .pepper) ?? ""
            self.hashedPart = try members.decodeIfPresent(String.self, forKey: .hashedPart) ?? ""
            self.separator = try members.decodeIfPresent(String.self, forKey: .separator) ?? ""
            self.bearer = try members.decodeIfPresent(Bool.self, forKey: .bearer) ?? false
            self.tenants = try members.decodeIfPresent([String].self, forKey: .tenants) ?? []
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.problem = try members.decodeIfPresent(String.self, forKey: .problem)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.keyFormat, forKey: .keyFormat, unless: "")
            try members.encode(self.prefix, forKey: .prefix, unless: "")
            try members.encode(self.lengthMin, forKey: .lengthMin, unless: 0)
            try members.encode(self.lengthMax, forKey: .lengthMax, unless: 0)
            try members.encode(self.alphabet, forKey: .alphabet, unless: "")
            try members.encode(self.case, forKey: .case, unless: "")
            try members.encode(self.algorithm, forKey: .algorithm, unless: "")
            try members.encode(self.pepper, forKey: .pepper, unless: "")
            try members.encode(self.hashedPart, forKey: .hashedPart, unless: "")
            try members.encode(self.separator, forKey: .separator, unless: "")
            try members.encode(self.bearer, forKey: .bearer, unless: false)
            try members.encode(self.tenants, forKey: .tenants, unless: [])
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.problem, forKey: .problem)
        }
    }
}
