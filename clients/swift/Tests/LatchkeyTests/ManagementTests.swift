import Foundation
import Latchkey
import XCTest

final class ManagementTests: XCTestCase {
    func testADashboardUserManagesWebhooks() async throws {
        let client = try dashboardClient()
        let made = try await client.webhooks.createWebhook(
            url: "https://hooks.example.com/latchkey", events: ["api_key.created"], description: "swift"
        )
        XCTAssertTrue(made.secret.hasPrefix("whsec_"))
        XCTAssertFalse(printed(made).contains(made.secret), printed(made))
        let id = made.result.webhookID
        let listed = try await client.webhooks.listWebhooks().webhooks
        XCTAssertEqual(listed.first { $0.webhookID == id }?.status, .enabled)
        let changed = try await client.webhooks.updateWebhook(
            webhookID: id, status: .disabled, updateMask: "status,description"
        ).result
        XCTAssertEqual(changed.status, .disabled)
        XCTAssertEqual(changed.description, "")
        XCTAssertNil(changed.failingSince)
        let rotated = try await client.webhooks.rotateWebhookSecret(webhookID: id)
        XCTAssertNotEqual(rotated.secret, made.secret)
        XCTAssertFalse(printed(rotated).contains(rotated.secret))
        XCTAssertNotNil(rotated.result.previousSecretUntil)
        let deliveries = try await client.webhooks.listWebhookDeliveries(webhookID: id).deliveries
        XCTAssertEqual(deliveries, [])
        _ = try await client.webhooks.deleteWebhook(webhookID: id)
        let error = try await failure { try await client.webhooks.getWebhook(webhookID: id) }
        XCTAssertEqual(error.reason, .webhookNotFound)
    }

    func testADashboardUserManagesTheRulesByWhichWorkloadsGetTokens() async throws {
        let client = try dashboardClient()
        let key = try await client.apiKeys.createApiKey(name: "workloads", permissions: ["plans:read"]).result
        let jwk: JSONValue = [
            "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "1", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        ]
        let rule = try await client.federation.createFederationRule(
            name: "swift", issuer: "https://idp.example.com", jwks: ["keys": [jwk]], audience: "https://swift.example.com",
            claimRules: [["claim": "repository_id", "equals": "42"]], keyID: key.keyID, scopes: ["plans:read"]
        ).result
        XCTAssertEqual(rule.status, .enabled)
        XCTAssertEqual(rule.claimRules, [["claim": "repository_id", "equals": "42"]])
        XCTAssertEqual(rule.jwks, ["keys": [jwk]])
        XCTAssertNil(rule.jwksURL)
        XCTAssertEqual(rule.ttlSeconds, 900)
        let check = try await client.federation.checkFederationAssertion(ruleID: rule.ruleID, assertion: "a.b.c")
        XCTAssertFalse(check.passed)
        XCTAssertTrue(check.steps.contains { !$0.passed })
        let request = V1.CheckFederationAssertionRequest(ruleID: rule.ruleID, assertion: "a.private.c")
        XCTAssertFalse(printed(request).contains("private"))
        let changed = try await client.federation.updateFederationRule(
            ruleID: rule.ruleID, ttlSeconds: 60, status: .disabled, updateMask: "ttl_seconds,status"
        ).result
        XCTAssertEqual(changed.status, .disabled)
        XCTAssertEqual(changed.ttlSeconds, 60)
        _ = try await client.federation.deleteFederationRule(ruleID: rule.ruleID)
        let left = try await client.federation.listFederationRules().rules
        XCTAssertFalse(left.contains { $0.ruleID == rule.ruleID })
    }

    func testAnInvitedUserReadsWhatTheInvitationOffers() async throws {
        let token = Environment.invitedToken
        let client = try LatchkeyClient(baseURL: Environment.url, credentials: .userToken { _ in token })
        let request = V1.PreviewInvitationRequest(token: Environment.invitation)
        XCTAssertFalse(printed(request).contains(Environment.invitation))
        let offer = try await client.orgs.previewInvitation(request).result
        XCTAssertEqual(offer.organizationName, "Acme")
        XCTAssertEqual(offer.role, "viewer")
        XCTAssertGreaterThan(offer.expiresAt, Date())
    }

    func testKeysAreFoundByTheirFilters() async throws {
        let client = try dashboardClient()
        let tag = UUID().uuidString
        let soon = Date(timeIntervalSinceNow: 86_400)
        let made = try await client.apiKeys.createApiKey(
            name: "filtered", permissions: ["plans:read"], expiresAt: soon, metadata: ["tag": .string(tag)]
        ).result
        for (filter, isFound) in [
            (V1.ListApiKeysRequest(search: tag), true),
            (.init(expiresBefore: soon.addingTimeInterval(3_600), search: tag), true),
            (.init(expiresBefore: soon.addingTimeInterval(-3_600), search: tag), false),
            (.init(status: .active, keyType: .secret, scope: "plans:read", sort: "last_used_at", search: tag), true),
            (.init(status: .revoked, search: tag), false),
            (.init(leaked: true, search: tag), false),
            (.init(lastUsedBefore: Date(timeIntervalSinceNow: -86_400), search: tag), false),
        ] {
            let found = try await client.apiKeys.listApiKeys(filter).keys.map(\.keyID)
            XCTAssertEqual(found, isFound ? [made.keyID] : [], "\(filter)")
        }
    }

    func testDeniedRequestsAreListedAndExplained() async throws {
        let client = try dashboardClient()
        let made = try await client.apiKeys.createApiKey(name: "lacking", permissions: ["plans:read"]).result
        let lacking = try client.acting(as: .secretKey(made.key))
        let error = try await failure { try await lacking.gateway.listThreads() }
        // It is written a moment later.
        var listed: [V1.RecentRequest] = []
        try await waitUntil {
            listed = try await client.requests.listRequests(keyID: made.keyID, reason: "insufficient_scope").requests
            return !listed.isEmpty
        }
        XCTAssertEqual(listed.map(\.requestID), [try XCTUnwrap(error.requestID)])
        let explained = try await client.requests.explainRequest(requestID: listed[0].requestID).result
        XCTAssertFalse(explained.allowed)
        XCTAssertEqual(explained.denialReason, "insufficient_scope")
        var top: [V1.TopKey] = []
        try await waitUntil {
            top = try await client.usage.listTopKeys(reason: "insufficient_scope").keys
            return top.contains { $0.keyID == made.keyID }
        }
        XCTAssertEqual(top.first { $0.keyID == made.keyID }?.failedVerifications, 1)
    }
}
