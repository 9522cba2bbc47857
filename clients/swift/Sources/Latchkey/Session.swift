import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The connections of a client, and of those that share them.
final class Session: Sendable, CustomReflectable {
    private let session: URLSession

    init(_ given: URLSessionConfiguration) {
        let configuration = given.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// On Linux, reflection finds the requests in a `URLSession`, and the credentials in them.
    var customMirror: Mirror { Mirror(self, children: [:]) }

    func send(_ request: URLRequest, host: String) async throws -> Answer {
        do {
            let (body, response) = try await session.data(for: request)
            guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return Answer(body, http, host: host)
        } catch {
            if Task.isCancelled || (error as? URLError)?.code == .cancelled { throw CancellationError() }
            if (error as? URLError)?.code == .timedOut { throw LatchkeyError.deadlineExceeded }
            // Without the system's own words, which may repeat the address with what a proxy's has of a password.
            let code = (error as NSError).code
            throw LatchkeyError(
                code: .unavailable, message: "Latchkey could not be reached at \(host) (\(code))", underlyingError: error
            )
        }
    }
}

/// Credentials go only to `baseURL`.
private final class NoRedirects: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
