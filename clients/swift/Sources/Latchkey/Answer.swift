import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What answered a request: the service, or something in its place.
struct Answer: Sendable {
    let status: Int
    let body: Data
    let host: String
    let requestID: String?
    private let retryAfter: String?
    private let location: String?

    init(_ body: Data, _ response: HTTPURLResponse, host: String) {
        status = response.statusCode
        self.body = body
        self.host = host
        requestID = response.value(forHTTPHeaderField: "X-Request-Id")
        retryAfter = response.value(forHTTPHeaderField: "Retry-After")
        location = response.value(forHTTPHeaderField: "Location")
    }

    /// The message that a success holds.
    func decoded<Response: Decodable>(_ type: Response.Type) throws -> Response {
        guard status == 200 else { throw failure() }
        do {
            return try JSONDecoder.latchkey().decode(type, from: body)
        } catch {
            throw LatchkeyError(
                code: .unknown,
                message: "\(host) did not answer as Latchkey; is baseURL that of a Latchkey service?",
                requestID: requestID,
                underlyingError: error
            )
        }
    }

    private func failure() -> LatchkeyError {
        if (300..<400).contains(status) {
            let message = "\(host) answered with a redirect (\(status)\(target)), and none is followed"
            return LatchkeyError(code: .unknown, message: "\(message): is baseURL that of a Latchkey service?")
        }
        let after = secondsOfRetryAfter(retryAfter, now: Date())
        // Of a proxy's page nothing is repeated.
        guard let error = try? JSONDecoder.latchkey().decode(ErrorBody.self, from: body) else {
            // One of these is a proxy's, while the service is away or the caller too quick.
            let advice = [429, 502, 503, 504].contains(status) ? "" : "; is baseURL that of a Latchkey service?"
            return LatchkeyError(
                code: codeOfStatus(status),
                message: "\(host) answered with the status \(status)\(advice)",
                requestID: requestID,
                retryAfter: after
            )
        }
        let denial = error.denialReason.map { Denial(reason: $0, rateLimit: error.rateLimit, retryAfter: after) }
        return LatchkeyError(
            code: error.code,
            message: error.message,
            reason: error.reason ?? error.denialReason,
            field: error.field,
            requestID: requestID,
            denial: denial,
            retryAfter: after
        )
    }

    /// Without the path, where a login page's ticket may be.
    private var target: String {
        guard let location, let url = URLComponents(string: location), let scheme = url.scheme, let host = url.host else {
            return ""
        }
        return " to \(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")"
    }
}

private struct ErrorBody: Decodable {
    let code: LatchkeyError.Code
    let message: String
    let reason: LatchkeyError.Reason?
    let field: String?
    let denialReason: LatchkeyError.Reason?
    let rateLimit: V1.RateLimitState?

    enum CodingKeys: String, CodingKey {
        case code, message, reason, field
        case denialReason = "denial_reason"
        case rateLimit = "rate_limit"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = try members.decode(LatchkeyError.Code.self, forKey: .code)
        message = try members.decodeIfPresent(String.self, forKey: .message) ?? ""
        reason = try? members.decodeIfPresent(LatchkeyError.Reason.self, forKey: .reason)
        field = try? members.decodeIfPresent(String.self, forKey: .field)
        denialReason = try? members.decodeIfPresent(LatchkeyError.Reason.self, forKey: .denialReason)
        rateLimit = try? members.decodeIfPresent(V1.RateLimitState.self, forKey: .rateLimit)
    }
}

/// What Connect takes a status for that comes without a code: a proxy's, mostly.
private func codeOfStatus(_ status: Int) -> LatchkeyError.Code {
    switch status {
    case 400: .internal
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .unimplemented
    case 429, 502, 503, 504: .unavailable
    default: .unknown
    }
}
