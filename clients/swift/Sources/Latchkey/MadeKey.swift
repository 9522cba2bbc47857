#if canImport(CryptoKit)
import CryptoKit
import Foundation

/// A secret key that the service has never had: create it by its hash, which is all that the service gets.
/// Apple's platforms have it: on others there is no SHA-256 without a further package.
///
/// ```swift
/// let made = try MadeKey()
/// let request = V1.CreateApiKeyRequest(
///     name: "backend", permissions: ["plans:read"], secretHash: made.secretHash, keyPrefix: made.keyPrefix)
/// try await client.apiKeys.createApiKey(request)
/// ```
public struct MadeKey: Hashable, Sendable, CustomReflectable {
    /// Its full value, for the one program that uses it.
    public let key: String
    /// Its SHA-256 in hexadecimal digits.
    public let secretHash: String
    /// Its first characters without the brand, for display.
    public let keyPrefix: String

    /// Makes a key from the system's random numbers. `brand` is your platform's name in the key, such as the service's
    /// `KEY_BRAND`: 2 to 16 of a-z and 0-9, a letter first.
    ///
    /// Throws `MadeKey.RefusedBrand` for one that no key can have.
    public init(brand: String? = nil) throws {
        var generator = SystemRandomNumberGenerator()
        var random = ""
        while random.count < randomLetters {
            random += MadeKey.letters(of: (0..<randomLetters).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }
        try self.init(random: String(random.prefix(randomLetters)), brand: brand)
    }

    /// The key with these 30 random letters.
    init(random: String, brand: String?) throws {
        if let brand, !isBrand(brand) { throw RefusedBrand() }
        let body = "sk_" + (brand.map { $0 + "_" } ?? "") + random
        key = body + checksum(body)
        secretHash = SHA256.hash(data: Data(key.utf8)).map { hexadecimal($0) }.joined()
        keyPrefix = "sk_" + random.prefix(displayedLetters)
    }

    /// The letters of random bytes, each as likely as any other.
    static func letters(of bytes: [UInt8]) -> String {
        String(bytes.filter { $0 < unbiasedBelow }.map { alphabet[Int($0) % alphabet.count] })
    }

    /// Without the key, which must not be in a log.
    public var customMirror: Mirror {
        Mirror(self, children: ["key": redacted(key), "secretHash": secretHash, "keyPrefix": keyPrefix], displayStyle: .struct)
    }

    /// The brand must be 2 to 16 of a-z and 0-9, beginning with a letter.
    public struct RefusedBrand: Error {}
}

private let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
private let randomLetters = 30
private let displayedLetters = 9
private let checksumDigits = 6
/// The largest multiple of 62 in a byte. Bytes from it on would favour the first letters.
private let unbiasedBelow: UInt8 = 248

private func isBrand(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let letter = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
    return (2...16).contains(bytes.count) && letter.contains(bytes[0])
        && bytes.allSatisfy { letter.contains($0) || digit.contains($0) }
}

private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
}

private func checksum(_ body: String) -> String {
    var rest = Int(crc32(Array(body.utf8)))
    var digits = ""
    for _ in 0..<checksumDigits {
        digits = String(alphabet[rest % alphabet.count]) + digits
        rest /= alphabet.count
    }
    return digits
}

/// As in zlib.
private func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { crc, byte in
        (0..<8).reduce(crc ^ UInt32(byte)) { each, _ in (each >> 1) ^ (each & 1 == 1 ? 0xedb8_8320 : 0) }
    }
}
#endif
