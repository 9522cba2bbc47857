import Foundation

/// A call failed.
public struct LatchkeyError: Error, Sendable {
    /// Connect's code, such as `not_found`.
    public let code: Code
    /// What to do, for people. Do not parse it.
    public let message: String
    /// Why, such as `key_not_found`; of a denial, its reason. Nil if the error is not the service's, such as one of the
    /// network or a proxy.
    public let reason: Reason?
    /// The member of the request at fault, as JSON spells it: `rate_limit.burst_size`, `permissions[2]`. Nil where no single
    /// member is at fault.
    public let field: String?
    /// What to name when you ask the service's operator about the error.
    public let requestID: String?
    /// What the service said to a caller that was denied; nil for every other error.
    public let denial: Denial?
    /// Seconds until a retry can succeed; nil if the service did not say.
    public let retryAfter: TimeInterval?
    /// Why the user's token could not be had, or what the network reported.
    public let underlyingError: (any Error)?
    /// The run of a message that was accepted before ``LatchkeyClient/sendAndWait(_:conversationKey:clientMessageID:)`` failed:
    /// it gets its reply all the same.
    public internal(set) var runID: String?

    init(
        code: Code,
        message: String,
        reason: Reason? = nil,
        field: String? = nil,
        requestID: String? = nil,
        denial: Denial? = nil,
        retryAfter: TimeInterval? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.field = field
        self.requestID = requestID
        self.denial = denial
        self.retryAfter = retryAfter
        self.underlyingError = underlyingError
    }

    /// Whether the caller was denied for one of these reasons; for any reason, if none is given.
    public func isDenial(_ reasons: Reason...) -> Bool {
        guard let denial else { return false }
        return reasons.isEmpty || reasons.contains(denial.reason)
    }

    /// Why a call failed, as `reason` has it in JSON. Treat one that you do not know by the error's code.
    public struct Reason: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// A kind of failure. Treat one that you do not know as ``unknown``.
    public struct Code: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let aborted = Code(rawValue: "aborted")
        public static let alreadyExists = Code(rawValue: "already_exists")
        public static let canceled = Code(rawValue: "canceled")
        public static let dataLoss = Code(rawValue: "data_loss")
        public static let deadlineExceeded = Code(rawValue: "deadline_exceeded")
        public static let failedPrecondition = Code(rawValue: "failed_precondition")
        public static let `internal` = Code(rawValue: "internal")
        public static let invalidArgument = Code(rawValue: "invalid_argument")
        public static let notFound = Code(rawValue: "not_found")
        public static let outOfRange = Code(rawValue: "out_of_range")
        public static let permissionDenied = Code(rawValue: "permission_denied")
        public static let resourceExhausted = Code(rawValue: "resource_exhausted")
        public static let unauthenticated = Code(rawValue: "unauthenticated")
        public static let unavailable = Code(rawValue: "unavailable")
        public static let unimplemented = Code(rawValue: "unimplemented")
        public static let unknown = Code(rawValue: "unknown")
    }

    static let deadlineExceeded = LatchkeyError(
        code: .deadlineExceeded, message: "the call took longer than its timeout"
    )

    /// An argument with which no call could succeed.
    static func argument(_ message: String) -> LatchkeyError {
        LatchkeyError(code: .invalidArgument, message: message)
    }
}

/// What the service said about a denied call.
public struct Denial: Hashable, Sendable {
    public let reason: LatchkeyError.Reason
    /// The limit that was exceeded. With `rateLimited` only.
    public let rateLimit: V1.RateLimitState?
    /// Seconds until a retry is admitted (`rateLimited`) or can succeed (`verifierError`); nil if the service did not say.
    public let retryAfter: TimeInterval?
}

extension LatchkeyError: LocalizedError, CustomStringConvertible {
    /// Only the message, for an alert.
    public var errorDescription: String? { message }

    public var description: String {
        "\(code.rawValue): \(message)" + (requestID.map { " (request \($0))" } ?? "")
    }
}
