#if canImport(CryptoKit)
import Foundation
import XCTest

@testable import Latchkey

final class MadeKeyTests: XCTestCase {
    /// What the tests of all clients read.
    private struct Vectors: Decodable {
        struct Made: Decodable {
            let random: String
            let brand: String?
            let key: String
            let secret_hash: String
            let key_prefix: String
        }

        struct Letters: Decodable {
            let bytes: String
            let letters: String
        }

        let made: [Made]
        let letters: [Letters]
        let refused_brands: [String]

        static func read() throws -> Vectors {
            let clients = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
            let text = try Data(contentsOf: clients.appendingPathComponent("vectors/made-keys.json"))
            return try JSONDecoder().decode(Vectors.self, from: text)
        }
    }

    func testKeysAreMadeAsByAllClients() throws {
        let vectors = try Vectors.read()
        XCTAssertFalse(vectors.made.isEmpty)
        for vector in vectors.made {
            let made = try MadeKey(random: vector.random, brand: vector.brand)
            XCTAssertEqual(made.key, vector.key)
            XCTAssertEqual(made.secretHash, vector.secret_hash)
            XCTAssertEqual(made.keyPrefix, vector.key_prefix)
        }
    }

    func testEachLetterIsAsLikelyAsAnyOther() throws {
        for vector in try Vectors.read().letters {
            let digits = Array(vector.bytes)
            let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0..<($0 + 2)]), radix: 16) ?? 0 }
            XCTAssertEqual(MadeKey.letters(of: bytes), vector.letters)
        }
    }

    func testNoKeyHasABrandThatTheServiceRefuses() throws {
        for brand in try Vectors.read().refused_brands {
            XCTAssertThrowsError(try MadeKey(brand: brand), brand)
        }
    }

    func testEachKeyIsAnotherOneAndIsNotPrinted() throws {
        let made = try (0..<100).map { try MadeKey(brand: $0 % 2 == 0 ? nil : "acme") }
        XCTAssertEqual(Set(made.map(\.key)).count, made.count)
        for each in made {
            XCTAssertFalse("\(each) \(String(reflecting: each))".contains(each.key))
        }
    }
}
#endif
