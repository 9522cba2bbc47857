import Foundation

/// Who calls. Neither printing nor reflection shows a secret of them.
public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Returns the user's current token, without "Bearer ".
    ///
    /// It is called before every attempt of every call, so that a token that was refreshed meanwhile is the one that is sent: let
    /// it cache, or give a ``TokenCache``. `refresh`: the token before was denied as expired, so return a new one. All calls that
    /// were denied with that token share one such request, and each of them is made once more. An error fails the call, as the
    /// `underlyingError` of a ``LatchkeyError``.
    public typealias TokenSource = @Sendable (_ refresh: Bool) async throws -> String

    let key: Secret?
    let keyPrefix: String
    let userToken: TokenSource?
    let onBehalfOf: String?

    /// A server's own, for its tenant. **Never part of an app**, whose users can read it: an app has a publishable key.
    ///
    /// - Parameters:
    ///   - key: `sk_...`.
    ///   - onBehalfOf: The user to act for, 1 to 256 printable characters. The key needs the scope `users:impersonate`.
    public static func secretKey(_ key: String, onBehalfOf: String? = nil) -> Credentials {
        Credentials(key: Secret(key), keyPrefix: "sk_", userToken: nil, onBehalfOf: onBehalfOf)
    }

    /// An app's, for its own user: the publishable key, which is public, together with the user's token.
    public static func publishableKey(_ key: String, userToken: @escaping TokenSource) -> Credentials {
        Credentials(key: Secret(key), keyPrefix: "pk_", userToken: userToken, onBehalfOf: nil)
    }

    /// An app's, for its own user, whose token is kept until the service denies it as expired.
    public static func publishableKey(_ key: String, userToken: TokenCache) -> Credentials {
        publishableKey(key) { refresh in try await userToken.token(refresh: refresh) }
    }

    /// A dashboard user's or, with the operator's token, the operator's of the service. Also a job's or an agent's, with a token that
    /// was derived from a key.
    public static func userToken(_ source: @escaping TokenSource) -> Credentials {
        Credentials(key: nil, keyPrefix: "", userToken: source, onBehalfOf: nil)
    }

    /// A dashboard user's, whose token is kept until the service denies it as expired.
    public static func userToken(_ cache: TokenCache) -> Credentials {
        userToken { refresh in try await cache.token(refresh: refresh) }
    }

    public var description: String { "Latchkey.Credentials" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A text that printing and reflection do not show.
struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let value: String

    init(_ value: String) {
        self.value = value
    }

    var description: String { redacted(value) }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// In place of a secret: whether there is one.
func redacted(_ secret: String) -> String {
    secret.isEmpty ? "" : "<redacted>"
}
