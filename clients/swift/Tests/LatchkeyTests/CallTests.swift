import Foundation
import Latchkey
import XCTest

final class CallTests: XCTestCase {
    func testASecretKeySendsAMessageAndReadsItsConversation() async throws {
        let client = try LatchkeyClient(baseURL: "\(Environment.url)/", credentials: .secretKey(" \(Environment.key)\n"))
        let start = Date()
        let sent = try await client.gateway.sendMessage(conversationKey: "swift", userMessage: .init("Hi", "there"))
        XCTAssertTrue(sent.runID.hasPrefix("run_"))
        let state = try await client.gateway.getConversationState(conversationKey: "swift", waitMs: 5_000)
        let message = try XCTUnwrap(state.messages.first)
        XCTAssertEqual(message.text, "Hi\nthere")
        XCTAssertEqual(message.role, .user)
        XCTAssertLessThan(abs(message.createdAt.timeIntervalSince(start)), 3_600)
        XCTAssertEqual(state.run.runID, sent.runID)
        let list = try await client.gateway.listThreads(perPage: 10)
        XCTAssertEqual(list.pagination.perPage, 10)
        XCTAssertTrue(list.threads.contains { $0.conversationKey == "swift" && $0.messageCount >= 1 })
    }

    func testAPublishableKeySendsItsUsersToken() async throws {
        let token = Environment.userToken
        let client = try LatchkeyClient(
            baseURL: Environment.url, credentials: .publishableKey(Environment.publishableKey) { _ in "\(token)\n" }
        )
        let caller = try await client.auth.verify()
        XCTAssertEqual(caller.caller, .publishableKey)
        XCTAssertFalse(caller.userID.isEmpty)
        let stranger = try client.acting(as: .publishableKey(Environment.publishableKey) { _ in "not-a-token" })
        let error = try await failure { try await stranger.auth.verify() }
        XCTAssertTrue(error.isDenial(.jwtMalformed))
    }

    func testADashboardUserManagesKeys() async throws {
        let client = try dashboardClient()
        let expiry = Date(timeIntervalSince1970: 4_102_444_800.25)
        let made = try await client.apiKeys.createApiKey(
            name: "swift", permissions: ["plans:read"],
            rateLimit: .init(requestsPerMinute: 60, perUser: .init(requestsPerHour: 5)), expiresAt: expiry,
            metadata: ["plan": "pro", "seats": 5, "tags": ["a", nil], "trial": false]
        ).result
        let key = try await client.apiKeys.getApiKey(keyID: made.keyID).result
        XCTAssertEqual(key.status, .active)
        XCTAssertEqual(key.keyType, .secret)
        XCTAssertEqual(key.permissions, ["plans:read"])
        XCTAssertEqual(key.rateLimit.requestsPerMinute, 60)
        XCTAssertEqual(key.rateLimit.perUser?.requestsPerHour, 5)
        XCTAssertEqual(try XCTUnwrap(key.expiresAt).timeIntervalSince(expiry), 0, accuracy: 0.0005)
        XCTAssertNil(key.lastUsedAt)
        XCTAssertEqual(key.metadata?["tags"], ["a", nil])
        XCTAssertEqual(key.createdBy?.kind, "dashboard_user")
        // A member that the mask names and the call leaves out is cleared.
        let changed = try await client.apiKeys.updateApiKey(keyID: made.keyID, name: "again", updateMask: "name,expires_at")
        XCTAssertEqual(changed.result.name, "again")
        XCTAssertNil(changed.result.expiresAt)
        let usage = try await client.apiKeys.getApiKeyUsage(keyID: made.keyID, step: "hour")
        XCTAssertEqual(usage.result.totalVerifications, 0)
        XCTAssertFalse(try XCTUnwrap(usage.series).isEmpty)
        let list = try await client.apiKeys.listApiKeys(.init(perPage: 1, namePrefix: "aga"))
        XCTAssertEqual(list.keys.map(\.keyID), [made.keyID])
        let events = try await client.audit.listAuditEvents(targetID: made.keyID).events
        XCTAssertEqual(events.map(\.action), ["api_key.updated", "api_key.created"])
        XCTAssertEqual(events.first?.changes["name"]?.new, "again")
        XCTAssertEqual(events.first?.changes["name"]?.old, "swift")
    }

    func testListsWithinAConfigurationAreSwiftsOwn() async throws {
        let client = try dashboardClient()
        let oidc = V1.OidcConfig(
            issuer: "https://idp.example.com", jwksURL: "https://idp.example.com/jwks.json", audience: "app",
            requiredClaims: ["azp": "web"], authorizedParties: ["web", "ios"],
            claimRules: [["claim": "groups", "contains": "staff"]]
        )
        let made = try await client.apiKeys.createApiKey(
            name: "app", keyType: .publishable, permissions: ["conversations:read"],
            publishableConfig: .init(oidc: oidc)
        )
        let key = try await client.apiKeys.getApiKey(keyID: made.result.keyID).result
        XCTAssertEqual(key.publishableConfig?.oidc?.authorizedParties, ["web", "ios"])
        XCTAssertEqual(key.publishableConfig?.oidc?.claimRules, [["claim": "groups", "contains": "staff"]])
        XCTAssertEqual(key.publishableConfig?.oidc?.requiredClaims, ["azp": "web"])
    }

    func testASecretKeyActsForAUser() async throws {
        let client = try LatchkeyClient(
            baseURL: Environment.url, credentials: .secretKey(Environment.key, onBehalfOf: "Zoë 7")
        )
        let caller = try await client.auth.verify()
        XCTAssertEqual(caller.actingFor, "Zoë 7")
    }

    func testAClientOfAnotherCallerSharesTheConnections() async throws {
        let client = try secretKeyClient()
        let token = Environment.dashboardToken
        let other = try client.acting(as: .userToken { _ in token })
        async let key = client.auth.verify().caller
        async let user = other.auth.verify().caller
        let callers = try await [key, user]
        XCTAssertEqual(callers, [.secretKey, .dashboardUser])
    }

    func testEachDenialHasItsReason() async throws {
        for name in Environment.denials {
            let fault = Environment.Fault("denied", name)
            let client = try secretKeyClient(fault.baseURL, retry: Retry(attemptsMax: 1))
            let error = try await failure { try await client.gateway.listThreads() }
            XCTAssertEqual(error.reason?.rawValue, name)
            XCTAssertEqual(error.denial?.reason.rawValue, name)
            XCTAssertTrue(error.isDenial(), name)
            XCTAssertTrue(error.isDenial(.missingCredentials, .init(rawValue: name)), name)
            XCTAssertFalse(error.isDenial(.keyNotFound), name)
            XCTAssertTrue(try XCTUnwrap(error.requestID).hasPrefix("req_"), name)
            XCTAssertTrue(error.localizedDescription.contains("/docs/errors#\(name)"), error.localizedDescription)
            XCTAssertEqual(error.denial?.rateLimit != nil, name == "rate_limited")
        }
    }

    func testAnErrorThatIsNoDenialNamesItsReasonAndTheMember() async throws {
        let client = try dashboardClient()
        let error = try await failure { try await client.apiKeys.getApiKey(keyID: "key_none") }
        XCTAssertEqual(error.code, .notFound)
        XCTAssertEqual(error.reason, .keyNotFound)
        XCTAssertEqual(error.field, "key_id")
        XCTAssertNil(error.denial)
        XCTAssertFalse(error.isDenial())
    }

    func testALimitedCallIsDeniedWithItsLimitAndWaitsForRetryAfter() async throws {
        let dashboard = try dashboardClient()
        let key = try await dashboard.apiKeys.createApiKey(
            name: "limited", permissions: ["conversations:*"], rateLimit: .init(requestsPerMinute: 60, burstSize: 1)
        ).result.key
        let hasty = try LatchkeyClient(
            baseURL: Environment.url, credentials: .secretKey(key), retry: Retry(attemptsMax: 1)
        )
        let error = try await failure { while true { _ = try await hasty.gateway.listThreads() } }
        XCTAssertEqual(error.code, .resourceExhausted)
        XCTAssertTrue(error.isDenial(.rateLimited))
        XCTAssertEqual(error.denial?.retryAfter, 1)
        XCTAssertEqual(error.denial?.rateLimit?.limit, 60)
        XCTAssertEqual(error.denial?.rateLimit?.remaining, 0)
        XCTAssertGreaterThan(try XCTUnwrap(error.denial?.rateLimit?.resetAt).timeIntervalSince1970, 0)
        // Every call of a client that waits is admitted, also one that was denied before.
        let fault = Environment.Fault("lost", "0")
        let patient = try LatchkeyClient(baseURL: fault.baseURL, credentials: .secretKey(key))
        var (calls, attempts, seconds) = (0, 0, 0.0)
        while attempts == calls {
            let start = Date()
            _ = try await patient.gateway.listThreads()
            seconds = Date().timeIntervalSince(start)
            calls += 1
            attempts = try await fault.requests().count
        }
        XCTAssertGreaterThanOrEqual(seconds, 1)
    }

    func testAMessageIsSentAndItsReplyWaitedFor() async throws {
        let client = try secretKeyClient()
        let replies = try await withThrowingTaskGroup(of: (String, Reply).self) { group in
            for text in ["one", "two", "three"] {
                group.addTask { (text, try await client.sendAndWait(text, conversationKey: "awaited")) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        XCTAssertEqual(replies.count, 3)
        for (text, reply) in replies {
            XCTAssertTrue(reply.text.contains(text), "\(text): \(reply.text)")
            XCTAssertEqual(reply.message.role, .assistant)
        }
        XCTAssertEqual(Set(replies.values.map(\.runID)).count, 3)
    }
}
