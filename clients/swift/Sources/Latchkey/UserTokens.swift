import Foundation

/// The tokens of a source, and the one request for all calls that were denied with the same expired token.
actor UserTokens {
    /// Longest time for a token in place of an expired one, in seconds, which no call's own end cuts short.
    private static let refreshSeconds: TimeInterval = 60

    private let source: Credentials.TokenSource
    /// A `Secret`, since reflection reads what an actor keeps.
    private var latest: (expired: Secret, newer: Task<String, any Error>)?

    init(source: @escaping Credentials.TokenSource) {
        self.source = source
    }

    nonisolated func current() async throws -> String {
        try await Self.token(of: source, refresh: false)
    }

    func replacement(of expired: String) async throws -> String {
        if let latest, latest.expired.value == expired { return try await result(of: latest.newer) }
        let newer = Task { [source] in
            try await limited(to: Self.refreshSeconds) { try await Self.token(of: source, refresh: true) }
        }
        latest = (Secret(expired), newer)
        // The next call that is denied asks again.
        Task { if case .failure = await newer.result, latest?.newer == newer { latest = nil } }
        return try await result(of: newer)
    }

    private static func token(of source: @escaping Credentials.TokenSource, refresh: Bool) async throws -> String {
        let given: String
        do {
            given = try await abandonable { try await source(refresh) }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw LatchkeyError(
                code: .unauthenticated, message: "the user's token could not be had", underlyingError: error
            )
        }
        let token = given.trimmingCharacters(in: .whitespacesAndNewlines)
        guard isHeaderText(token) else {
            throw LatchkeyError(
                code: .unauthenticated,
                message: "userToken must return only the token, without \"Bearer \", spaces or line ends"
            )
        }
        return token
    }
}
