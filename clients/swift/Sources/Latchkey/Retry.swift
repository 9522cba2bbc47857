import Foundation

/// How calls that fail for a passing reason are made again:
///
/// - `rateLimited`, any call, after `Retry-After`: the limit is checked before anything is done;
/// - no answer, 503, or `verifierError`, after `Retry-After` where it is sent: reads, messages, and what has an id of the
///   caller's or, where a secret is made, of the client's. Such a call makes one key, whose value may be lost with an answer.
public struct Retry: Hashable, Sendable {
    /// Most attempts at one call, the first one included; 1 never repeats. An attempt whose token has expired is made once more in
    /// itself.
    public var attemptsMax: Int
    /// Longest pause between two attempts, in seconds. An error with a longer `Retry-After` is thrown at once.
    public var pauseMax: TimeInterval

    private static let backoffSeconds: TimeInterval = 0.25
    private static let backoffSecondsMax: TimeInterval = 8

    public init(attemptsMax: Int = 3, pauseMax: TimeInterval = 30) {
        self.attemptsMax = attemptsMax
        self.pauseMax = pauseMax
    }

    func checked() throws -> Retry {
        guard attemptsMax >= 1 else { throw LatchkeyError.argument("attemptsMax must be at least 1") }
        guard pauseMax >= 0 else { throw LatchkeyError.argument("pauseMax must be at least 0") }
        return self
    }

    /// Seconds until the next attempt; nil if there must be none.
    func pause(after error: LatchkeyError, attempt: Int, isRepeatable: Bool) -> TimeInterval? {
        guard attempt < attemptsMax else { return nil }
        let asked = error.retryAfter
        if error.isDenial(.rateLimited) {
            // Without Retry-After the call's cost is above the limit: no retry is admitted.
            return asked.flatMap { $0 <= pauseMax ? $0 : nil }
        }
        guard error.isPassing, isRepeatable else { return nil }
        if let asked { return asked <= pauseMax ? asked : nil }
        let ceiling = min(Self.backoffSeconds * pow(2, Double(attempt - 1)), Self.backoffSecondsMax, pauseMax)
        return ceiling * Double.random(in: 0.5...1)
    }
}

/// The request with a name of its own, so that a retry is the same call. The caller's request stays as it is: the same one, sent
/// again on purpose, is another call.
func named<Request>(_ request: Request, _ id: WritableKeyPath<Request, String>) -> Request {
    guard request[keyPath: id].isEmpty else { return request }
    var request = request
    request[keyPath: id] = UUID().uuidString.lowercased()
    return request
}

extension LatchkeyError {
    /// Of a call that the client has named: an attempt made the secret, and its answer was lost.
    static func secretLost(of id: String) -> LatchkeyError {
        LatchkeyError(
            code: .dataLoss,
            message: "the answer of an earlier attempt, which held the secret, was lost: it made \(id); revoke or rotate that, and call again"
        )
    }

    /// Whether the service, or what it needs, is away.
    var isPassing: Bool { code == .unavailable || isDenial(.verifierError) }
}

/// Whole seconds, as Latchkey sends them, or a date, as a proxy may (RFC 9110, 10.2.3). Anything else counts as absent.
func secondsOfRetryAfter(_ value: String?, now: Date) -> TimeInterval? {
    guard let value, !value.isEmpty else { return nil }
    if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Double(value) }
    return instant(ofHTTPDate: value).map { max(0, $0.timeIntervalSince(now)) }
}
