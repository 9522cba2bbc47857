import Foundation
import Latchkey
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class FaultTests: XCTestCase {
    func testReadsAreRepeatedAfterAnOutageAndMessagesStoredOnce() async throws {
        let fault = Environment.Fault("lost", "2", "-")
        let client = try secretKeyClient(fault.baseURL)
        let request = V1.SendMessageRequest(conversationKey: "lost-swift", userMessage: .init("once"))
        _ = try await client.gateway.sendMessage(request)
        let sent = try await fault.requests()
        XCTAssertEqual(sent.count, 3)
        let reading = Environment.Fault("lost", "2", "-")
        let state = try await secretKeyClient(reading.baseURL).gateway.getConversationState(conversationKey: "lost-swift")
        let reads = try await reading.requests()
        XCTAssertEqual(reads.count, 3)
        XCTAssertEqual(state.messages.filter { $0.role == .user }.count, 1)
    }

    func testWritesAreNotRepeatedOnAGuessUnlessTheyHaveANameOfTheirOwn() async throws {
        let fault = Environment.Fault("lost", "1", "-")
        let client = try dashboardClient(fault.baseURL)
        let error = try await failure {
            try await client.apiKeys.revokeApiKey(keyID: "key_none")
        }
        XCTAssertEqual(error.code, .unavailable)
        let once = try await fault.requests()
        XCTAssertEqual(once.count, 1)
        let lost = Environment.Fault("lost", "1", "-")
        let secretLost = try await failure {
            try await dashboardClient(lost.baseURL).apiKeys.createApiKey(name: "lost", permissions: ["plans:read"])
        }
        XCTAssertEqual(secretLost.code, .dataLoss)
        XCTAssertTrue(secretLost.message.contains("it made key_"))
        let named = Environment.Fault("lost", "1", "-")
        let made = try await dashboardClient(named.baseURL).apiKeys.createApiKey(
            name: "named", permissions: ["plans:read"], clientRequestID: UUID().uuidString
        )
        XCTAssertEqual(made.result.alreadyCreated, true)
        XCTAssertEqual(made.result.key, "")
    }

    func testRetryAfterIsWaitedForUnlessItIsTooLong() async throws {
        let fault = Environment.Fault("lost", "1", "1")
        let start = Date()
        _ = try await secretKeyClient(fault.baseURL).gateway.listThreads()
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(start), 1)
        for value in ["31", String(repeating: "9", count: 400), "Wed,%2025%20Nov%202099%2010:00:05%20GMT"] {
            let tooLong = Environment.Fault("lost", "1", value)
            let error = try await failure { try await secretKeyClient(tooLong.baseURL).gateway.listThreads() }
            XCTAssertEqual(error.code, .unavailable)
            XCTAssertGreaterThan(try XCTUnwrap(error.retryAfter), 30)
            let requests = try await tooLong.requests()
            XCTAssertEqual(requests.count, 1)
        }
        let nonsense = Environment.Fault("lost", "1", "1.5")
        _ = try await secretKeyClient(nonsense.baseURL).gateway.listThreads()
    }

    func testNoPauseIsLongerThanTheTimeout() async throws {
        let fault = Environment.Fault("lost", "9", "20")
        let error = try await failure { try await secretKeyClient(fault.baseURL, timeout: 15).gateway.listThreads() }
        // Not deadlineExceeded, as after the timeout.
        XCTAssertEqual(error.code, .unavailable)
    }

    func testARedirectIsNotFollowedAndGetsNoCredentials() async throws {
        let fault = Environment.Fault("redirect")
        let error = try await failure { try await secretKeyClient(fault.baseURL).gateway.listThreads() }
        XCTAssertEqual(error.code, .unknown)
        XCTAssertTrue(error.message.contains("a redirect (307 to http://login.example:8443), and none is followed"), error.message)
        XCTAssertFalse(error.message.contains("ticket"))
        let requests = try await fault.requests()
        XCTAssertEqual(requests.count, 1)
    }

    func testNoCookieIsKept() async throws {
        let fault = Environment.Fault("cookie")
        // One that keeps cookies, for all sessions of the process.
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieAcceptPolicy = .always
        let client = try LatchkeyClient(
            baseURL: fault.baseURL, credentials: .secretKey(Environment.key), configuration: configuration
        )
        _ = try await client.gateway.listThreads()
        let requests = try await fault.requests()
        XCTAssertEqual(requests.count, 2)
        XCTAssertNil(requests.last?["cookie"])
        XCTAssertEqual(configuration.httpCookieStorage?.cookies ?? [], [])
        XCTAssertEqual(requests.last?["user-agent"]?.hasPrefix("latchkey-swift/"), true)
    }

    func testOfAProxysPageNothingIsRepeated() async throws {
        let gone = Environment.Fault("page", "502")
        let outage = try await failure {
            try await secretKeyClient(gone.baseURL, retry: Retry(attemptsMax: 1)).gateway.listThreads()
        }
        XCTAssertEqual(outage.code, .unavailable)
        XCTAssertNil(outage.reason)
        let wrong = Environment.Fault("page", "200")
        let mistaken = try await failure { try await secretKeyClient(wrong.baseURL).gateway.listThreads() }
        XCTAssertEqual(mistaken.code, .unknown)
        XCTAssertTrue(mistaken.message.contains("is baseURL that of a Latchkey service?"))
        let missing = Environment.Fault("page", "404")
        let absent = try await failure { try await secretKeyClient(missing.baseURL).gateway.listThreads() }
        XCTAssertEqual(absent.code, .unimplemented)
        XCTAssertTrue(absent.message.contains("is baseURL that of a Latchkey service?"))
        XCTAssertFalse(outage.message.contains("is baseURL that of a Latchkey service?"))
        for error in [outage, mistaken, absent] { XCTAssertFalse("\(error) \(error.localizedDescription)".contains("secret page")) }
    }

    func testCancellationPassesThrough() async throws {
        let (read, sent) = (Environment.Fault("hang"), Environment.Fault("hang"))
        // A call that is not cancelled goes on for a minute, and ends with another error.
        let (reader, sender) = (try secretKeyClient(read.baseURL), try secretKeyClient(sent.baseURL))
        for (fault, cancelled) in [
            (read, Task { _ = try await reader.gateway.listThreads() }),
            (sent, Task { _ = try await sender.sendAndWait("Hi", conversationKey: "cancelled") }),
        ] {
            try await waitUntil { try await !fault.requests().isEmpty }
            cancelled.cancel()
            do {
                try await cancelled.value
                XCTFail("not cancelled")
            } catch is CancellationError {}
        }
    }

    func testACallEndsByItsTimeoutEvenIfTheTokenNeverComes() async throws {
        let hasty = try secretKeyClient(Environment.Fault("hang").baseURL, timeout: 0.3)
        let late = try await failure { try await hasty.gateway.listThreads() }
        XCTAssertEqual(late.code, .deadlineExceeded)
        let tokenless = try LatchkeyClient(
            baseURL: Environment.url,
            // It overlooks that its task is cancelled.
            credentials: .userToken { _ in await withCheckedContinuation { (_: CheckedContinuation<String, Never>) in } },
            timeout: 0.3
        )
        let error = try await failure { try await tokenless.scopes.listScopes() }
        XCTAssertEqual(error.code, .deadlineExceeded)
    }

    func testAServiceThatIsAwayIsUnavailable() async throws {
        let client = try secretKeyClient("http://127.0.0.1:9", retry: Retry(attemptsMax: 2))
        let error = try await failure { try await client.gateway.listThreads() }
        XCTAssertEqual(error.code, .unavailable)
        XCTAssertTrue(error.message.contains("127.0.0.1"), error.message)
        XCTAssertNotNil(error.underlyingError)
    }

    func testWhatALaterVersionAddsIsKept() async throws {
        let fault = Environment.Fault("changed")
        let client = try dashboardClient(fault.baseURL)
        let made = try await client.apiKeys.createApiKey(name: "later", permissions: ["plans:read"])
        let key = try await client.apiKeys.getApiKey(keyID: made.result.keyID).result
        XCTAssertEqual(key.status, V1.KeyStatus(rawValue: "KEY_STATUS_RESTING"))
        XCTAssertEqual(key.keyType.rawValue, "7")
        XCTAssertEqual(key.name, "later")
        let stranger = try LatchkeyClient(
            baseURL: fault.baseURL, credentials: .secretKey("\(Environment.key.dropLast(6))AAAAAA")
        )
        let error = try await failure { try await stranger.gateway.listThreads() }
        XCTAssertEqual(error.denial?.reason.rawValue, "invented_reason")
        XCTAssertEqual(error.code, .unauthenticated)
    }
}
