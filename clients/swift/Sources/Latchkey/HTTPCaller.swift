import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes the calls of one caller, with their retries.
struct HTTPCaller: Sendable {
    let baseURL: String
    let identity: Identity
    let session: Session
    let retry: Retry
    let timeout: TimeInterval

    func with(identity: Identity) -> HTTPCaller {
        HTTPCaller(baseURL: baseURL, identity: identity, session: session, retry: retry, timeout: timeout)
    }

    func with(timeout: TimeInterval) -> HTTPCaller {
        HTTPCaller(baseURL: baseURL, identity: identity, session: session, retry: retry, timeout: timeout)
    }

    /// - Parameter isRepeatable: Whether the call can be made again although it is not known whether it was done.
    func call<Request: Encodable & Sendable, Response: Decodable & Sendable>(
        _ path: String, _ request: Request, isRepeatable: Bool
    ) async throws -> Response {
        let body: Data
        do {
            body = try JSONEncoder.latchkey().encode(request)
        } catch {
            throw LatchkeyError(
                code: .invalidArgument, message: "the request cannot be written as JSON", underlyingError: error
            )
        }
        let deadline = Deadline(seconds: timeout)
        return try await limited(to: timeout) {
            for attempt in 1... {
                do {
                    return try await self.attempt(path, body, deadline)
                } catch let error as LatchkeyError {
                    guard
                        let pause = retry.pause(after: error, attempt: attempt, isRepeatable: isRepeatable),
                        pause < deadline.remaining
                    else { throw error }
                    try await Task.sleep(seconds: pause)
                }
            }
            throw LatchkeyError.deadlineExceeded
        }
    }

    private func attempt<Response: Decodable & Sendable>(
        _ path: String, _ body: Data, _ deadline: Deadline
    ) async throws -> Response {
        guard let url = URL(string: baseURL + path), let host = url.host else {
            throw LatchkeyError.argument("baseURL must be a URL, such as https://api.example.com")
        }
        return try await identity.send { headers in
            try Task.checkCancellation()
            var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
            // The deadline ends the call; the system's own default of a minute must not end it before.
            request.timeoutInterval = max(deadline.remaining, 1) + 1
            request.httpMethod = "POST"
            request.httpBody = body
            request.httpShouldHandleCookies = false
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue("latchkey-swift/\(latchkeyVersion)", forHTTPHeaderField: "User-Agent")
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            return try await session.send(request, host: host).decoded(Response.self)
        }
    }
}

/// By a clock that is never set.
private struct Deadline: Sendable {
    private let end: Double

    init(seconds: TimeInterval) {
        end = Self.now + seconds
    }

    var remaining: TimeInterval { end - Self.now }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
