import Foundation
import Latchkey
import XCTest

final class ArgumentTests: XCTestCase {
    func testSecretsAreNeverPrinted() throws {
        let credentials: [Credentials] = [
            .secretKey("sk_private", onBehalfOf: "user"),
            .publishableKey("pk_private") { _ in "private" },
            .userToken(TokenCache { "private" }),
        ]
        for each in credentials {
            let client = try LatchkeyClient(baseURL: "https://api.example.com", credentials: each)
            XCTAssertFalse(printed(each).contains("private"))
            XCTAssertFalse(printed(client).contains("private"), printed(client))
            XCTAssertFalse(printed(client.gateway).contains("private"))
        }
        let answer = V1.CreateApiKeyResponse(result: .init(keyID: "key_1", key: "sk_private", keyPrefix: "sk_pr"))
        XCTAssertFalse(printed(answer).contains("sk_private"), printed(answer))
        XCTAssertTrue(printed(answer).contains("key_1"))
        XCTAssertEqual(answer.result.key, "sk_private")
        XCTAssertThrowsError(try LatchkeyClient(baseURL: "https://a.example", credentials: .secretKey("sk_private\0"))) {
            XCTAssertFalse(printed($0).contains("private"))
        }
    }

    func testArgumentsWithWhichNoCallCouldSucceedAreRejected() {
        let key = Credentials.secretKey("sk_x")
        let url = "https://api.example.com"
        let mistakes: [(named: String, make: () throws -> LatchkeyClient)] = [
            ("https://", { try LatchkeyClient(baseURL: "http://api.example.com", credentials: key) }),
            ("https://", { try LatchkeyClient(baseURL: "http://127.example.com", credentials: key) }),
            ("https://", { try LatchkeyClient(baseURL: "http://localhost.example.com", credentials: key) }),
            ("baseURL", { try LatchkeyClient(baseURL: "api.example.com", credentials: key) }),
            ("baseURL", { try LatchkeyClient(baseURL: "", credentials: key) }),
            ("baseURL", { try LatchkeyClient(baseURL: "ftp://api.example.com", credentials: key) }),
            ("user name", { try LatchkeyClient(baseURL: "https://user:secret@api.example.com", credentials: key) }),
            ("query", { try LatchkeyClient(baseURL: "\(url)?a=b", credentials: key) }),
            ("/api/v1", { try LatchkeyClient(baseURL: "\(url)/api/v1/", credentials: key) }),
            ("timeout", { try LatchkeyClient(baseURL: url, credentials: key, timeout: 0) }),
            ("timeout", { try LatchkeyClient(baseURL: url, credentials: key, timeout: .infinity) }),
            ("attemptsMax", { try LatchkeyClient(baseURL: url, credentials: key, retry: Retry(attemptsMax: 0)) }),
            ("pauseMax", { try LatchkeyClient(baseURL: url, credentials: key, retry: Retry(pauseMax: -1)) }),
            ("sk_", { try LatchkeyClient(baseURL: url, credentials: .secretKey("pk_x")) }),
            ("sk_", { try LatchkeyClient(baseURL: url, credentials: .secretKey("sk_a b")) }),
            ("pk_", { try LatchkeyClient(baseURL: url, credentials: .publishableKey("sk_x") { _ in "" }) }),
            ("onBehalfOf", { try LatchkeyClient(baseURL: url, credentials: .secretKey("sk_x", onBehalfOf: "a,b")) }),
            ("onBehalfOf", { try LatchkeyClient(baseURL: url, credentials: .secretKey("sk_x", onBehalfOf: " ")) }),
        ]
        for mistake in mistakes {
            XCTAssertThrowsError(try mistake.make(), mistake.named) { error in
                XCTAssertEqual((error as? LatchkeyError)?.code, .invalidArgument)
                XCTAssertTrue("\(error)".contains(mistake.named), "\(error)")
                XCTAssertFalse("\(error)".contains("secret@"))
            }
        }
    }

    func testLoopbackAndPrivateNetworksNeedNoTLS() throws {
        for url in ["http://localhost:1", "http://127.0.0.1:1/", "http://127.9.9.9", "http://[::1]:1"] {
            _ = try LatchkeyClient(baseURL: url, credentials: .secretKey("sk_x"))
        }
        _ = try LatchkeyClient(baseURL: "http://latchkey:8080", credentials: .secretKey("sk_x"), insecureHTTP: true)
    }
}
