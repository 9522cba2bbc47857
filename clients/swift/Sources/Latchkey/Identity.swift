import Foundation

/// Credentials that were checked, as they go on each attempt.
struct Identity: Sendable {
    private let key: Secret?
    private let onBehalfOf: String?
    private let tokens: UserTokens?

    init(_ credentials: Credentials) throws {
        key = try credentials.key.map { try Self.checkedKey($0, prefix: credentials.keyPrefix) }
        onBehalfOf = try credentials.onBehalfOf.map(Self.checkedUserID)
        tokens = credentials.userToken.map(UserTokens.init)
    }

    /// Sends with the credentials' headers; once more if the user's token was denied as expired and there is another.
    func send<Response>(_ attempt: (_ headers: [String: String]) async throws -> Response) async throws -> Response {
        var headers: [String: String] = [:]
        headers["X-API-Key"] = key?.value
        headers["X-On-Behalf-Of"] = onBehalfOf
        guard let tokens else { return try await attempt(headers) }
        let token = try await tokens.current()
        headers["Authorization"] = "Bearer \(token)"
        do {
            return try await attempt(headers)
        } catch let error as LatchkeyError where error.isDenial(.jwtExpired) {
            let newer = try await tokens.replacement(of: token)
            guard newer != token else { throw error }
            headers["Authorization"] = "Bearer \(newer)"
            return try await attempt(headers)
        }
    }

    private static func checkedKey(_ given: Secret, prefix: String) throws -> Secret {
        let key = given.value.trimmingCharacters(in: .whitespacesAndNewlines)
        guard key.hasPrefix(prefix), isHeaderText(key) else {
            throw LatchkeyError.argument("key must be one whole API key that begins with \(prefix)")
        }
        return Secret(key)
    }

    /// No controls or commas. The service is stricter.
    private static func checkedUserID(_ given: String) throws -> String {
        let userID = given.trimmingCharacters(in: .whitespacesAndNewlines)
        let isPrintable = userID.unicodeScalars.allSatisfy { $0 != "," && $0.properties.generalCategory != .control }
        guard isPrintable, (1...256).contains(userID.unicodeScalars.count) else {
            throw LatchkeyError.argument("onBehalfOf must be one user id: 1 to 256 printable characters, without a comma")
        }
        return userID
    }
}

/// Characters of a key or a token. An error about any other would repeat the value.
func isHeaderText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
}
