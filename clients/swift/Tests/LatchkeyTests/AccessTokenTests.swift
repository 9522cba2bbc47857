import Foundation
import Latchkey
import XCTest

final class AccessTokenTests: XCTestCase {
    func testADerivedTokenHasLessThanItsKeyIsListedAndIsRevoked() async throws {
        let key = try secretKeyClient()
        let derived = try await key.tokens.deriveToken(
            scopes: ["conversations:read"], ttlSeconds: 300, userID: "user-7", audience: "https://jobs.example.com"
        ).result
        XCTAssertFalse(printed(derived).contains(derived.token), printed(derived))
        XCTAssertTrue(printed(derived).contains(derived.tokenID))
        let own = try await key.tokens.deriveToken(scopes: ["conversations:read"]).result
        let agent = try key.acting(as: .userToken { _ in own.token })
        let caller = try await agent.auth.verify()
        XCTAssertEqual(caller.tokenID, own.tokenID)
        XCTAssertEqual(caller.permissions, ["conversations:read"])
        let refused = try await failure {
            try await agent.gateway.sendMessage(conversationKey: "derived", userMessage: .init("Hi"))
        }
        XCTAssertTrue(refused.isDenial(.insufficientScope), "\(refused)")

        let listed = try await key.tokens.listTokens(perPage: 100).tokens
        let token = try XCTUnwrap(listed.first { $0.tokenID == derived.tokenID })
        XCTAssertEqual(token.scopes, ["conversations:read"])
        XCTAssertEqual(token.userID, "user-7")
        XCTAssertEqual(token.audience, "https://jobs.example.com")
        XCTAssertEqual(token.expiresAt, derived.expiresAt)
        XCTAssertLessThan(token.createdAt, token.expiresAt)
        XCTAssertNil(token.revokedAt)
        XCTAssertNil(token.ruleID)

        let revoked = try await key.tokens.revokeToken(tokenID: own.tokenID).result
        XCTAssertNotNil(revoked.revokedAt)
        let denied = try await failure { try await agent.auth.verify() }
        XCTAssertTrue(denied.isDenial(.tokenRevoked), "\(denied)")
    }

    /// What a program reads from an unset variable is an empty text, which must not be taken for an absent member.
    func testAnEmptyMemberNeverWidensARequest() async throws {
        let key = try secretKeyClient()
        for empty in ["", " "] {
            let scopes = ["conversations:read"]
            let forUser = try await failure { try await key.tokens.deriveToken(scopes: scopes, userID: empty) }
            XCTAssertEqual(forUser.field, "user_id", "\(forUser)")
            let bound = try await failure { try await key.tokens.deriveToken(scopes: scopes, confirmationJkt: empty) }
            XCTAssertEqual(bound.field, "confirmation_jkt", "\(bound)")
            let verified = try await failure { try await key.auth.verify(scope: empty) }
            XCTAssertEqual(verified.field, "scope", "\(verified)")
        }
    }

    /// A bare challenge ends the process in some versions of Foundation on Linux, and this one has a scheme of its own.
    func testATokenOfAnotherSenderIsDenied() async throws {
        let key = try secretKeyClient()
        let bound = try await key.tokens.deriveToken(
            scopes: ["conversations:read"], confirmationJkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
        ).result
        let thief = try key.acting(as: .userToken { _ in bound.token })
        let error = try await failure { try await thief.gateway.listThreads() }
        XCTAssertEqual(error.code, .unauthenticated)
        XCTAssertTrue(error.isDenial(), "\(error)")
    }

    func testAnExpiredTokenIsDerivedAnewOnceForAllCalls() async throws {
        let (key, derivations) = (try secretKeyClient(), Counter())
        let expired = Environment.expiredAccessToken
        let cache = TokenCache {
            if await derivations.next() == 1 { return expired }
            return try await key.tokens.deriveToken(scopes: ["conversations:read"]).result.token
        }
        let job = try key.acting(as: .userToken(cache))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await job.gateway.listThreads() } }
            try await group.waitForAll()
        }
        let count = await derivations.count
        XCTAssertEqual(count, 2)
        let token = try await cache.token()
        XCTAssertFalse(printed(cache).contains(token))
        XCTAssertFalse(printed(job).contains(token))
    }
}
