import Foundation

/// Keeps a user's token until the service denies it as expired. All calls that wait for a token share one request for it.
///
/// For identity providers whose SDK does not cache by itself:
///
/// ```swift
/// let tokens = TokenCache { try await backend.newToken() }
/// let client = try LatchkeyClient(baseURL: url, credentials: .publishableKey("pk_...", userToken: tokens))
/// ```
public actor TokenCache {
    private let fetch: @Sendable () async throws -> String
    private var task: Task<String, any Error>?
    private var isPending = false

    public init(fetch: @escaping @Sendable () async throws -> String) {
        self.fetch = fetch
    }

    /// The token; with `refresh` a new one, unless a request for one is under way.
    public func token(refresh: Bool = false) async throws -> String {
        if let task, isPending || !refresh { return try await result(of: task) }
        let task = Task { [fetch] in try await fetch() }
        self.task = task
        isPending = true
        Task { await settle(task) }
        return try await result(of: task)
    }

    /// Forgets the token, as when the user signs out. A request that is under way serves only the calls that wait for it.
    public func clear() {
        task = nil
        isPending = false
    }

    private func settle(_ settled: Task<String, any Error>) async {
        let result = await settled.result
        guard task == settled else { return }
        isPending = false
        // The next call asks again.
        if case .failure = result { task = nil }
    }
}
