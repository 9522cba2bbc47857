import Foundation
import Latchkey
import XCTest

final class TokenTests: XCTestCase {
    /// Makes ten calls at once.
    private func callTenfold(_ credentials: Credentials) async throws {
        let client = try LatchkeyClient(baseURL: Environment.url, credentials: credentials)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await client.gateway.listThreads() } }
            try await group.waitForAll()
        }
        // Reflection reads what actors and sessions keep, too.
        var dumped = ""
        dump(client, to: &dumped)
        for token in [Environment.expiredToken, Environment.userToken] { XCTAssertFalse(dumped.contains(token)) }
    }

    func testAllCallsThatWereDeniedWithAnExpiredTokenShareOneRequestForANewOne() async throws {
        let (expired, valid, refreshes) = (Environment.expiredToken, Environment.userToken, Counter())
        try await callTenfold(
            .publishableKey(Environment.publishableKey) { refresh in
                guard refresh else { return expired }
                await refreshes.next()
                try await Task.sleep(nanoseconds: 300_000_000)
                return valid
            }
        )
        let count = await refreshes.count
        XCTAssertEqual(count, 1)
    }

    func testTheCacheAsksOnceForATokenAndOnceMoreWhenItHasExpired() async throws {
        let (expired, valid, fetches) = (Environment.expiredToken, Environment.userToken, Counter())
        let cache = TokenCache {
            let count = await fetches.next()
            try await Task.sleep(nanoseconds: 100_000_000)
            return count == 1 ? expired : valid
        }
        for _ in 0..<2 { try await callTenfold(.publishableKey(Environment.publishableKey, userToken: cache)) }
        var count = await fetches.count
        XCTAssertEqual(count, 2)
        await cache.clear()
        _ = try await cache.token()
        count = await fetches.count
        XCTAssertEqual(count, 3)
    }

    func testACallWhoseTokenIsNotReplacedFailsAsItWasDenied() async throws {
        let (expired, asked) = (Environment.expiredToken, Counter())
        let client = try LatchkeyClient(
            baseURL: Environment.url,
            credentials: .publishableKey(Environment.publishableKey) { _ in
                await asked.next()
                return expired
            }
        )
        let error = try await failure { try await client.gateway.listThreads() }
        XCTAssertTrue(error.isDenial(.jwtExpired))
        let count = await asked.count
        XCTAssertEqual(count, 2)
    }

    func testACacheForgetsAFailure() async throws {
        struct Offline: Error {}
        let fetches = Counter()
        let cache = TokenCache {
            if await fetches.next() == 1 { throw Offline() }
            return "token"
        }
        do {
            _ = try await cache.token()
            XCTFail("it did not fail")
        } catch is Offline {}
        let token = try await cache.token()
        XCTAssertEqual(token, "token")
    }

    func testEachAttemptHasTheTokenOfItsMoment() async throws {
        let fault = Environment.Fault("lost", "1", "-")
        let (token, asked) = (Environment.userToken, Counter())
        let client = try LatchkeyClient(
            baseURL: fault.baseURL,
            credentials: .publishableKey(Environment.publishableKey) { _ in
                await asked.next() == 1 ? "first" : token
            }
        )
        _ = try await client.gateway.listThreads()
        let requests = try await fault.requests()
        XCTAssertEqual(requests.map { $0["authorization"] }, ["Bearer first", "Bearer \(token)"])
    }

    func testWhatIsNoTokenFailsTheCallAndIsNotRepeated() async throws {
        struct SignedOut: Error {}
        for token in ["", "Bearer x", "a\nb"] {
            let client = try LatchkeyClient(baseURL: Environment.url, credentials: .userToken { _ in token })
            let error = try await failure { try await client.scopes.listScopes() }
            XCTAssertEqual(error.code, .unauthenticated)
            XCTAssertNil(error.denial)
            XCTAssertFalse(error.message.contains("a\nb"))
        }
        let client = try LatchkeyClient(
            baseURL: Environment.url, credentials: .userToken { _ in throw SignedOut() }
        )
        let error = try await failure { try await client.scopes.listScopes() }
        XCTAssertTrue(error.underlyingError is SignedOut)
    }
}
