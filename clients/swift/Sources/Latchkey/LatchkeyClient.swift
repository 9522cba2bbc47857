import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One caller of Latchkey.
///
/// ```swift
/// let client = try LatchkeyClient(
///     baseURL: "https://api.example.com",
///     credentials: .publishableKey("pk_...") { refresh in try await session.token(forcingRefresh: refresh) }
/// )
/// let answer = try await client.gateway.listThreads(perPage: 10)
/// ```
///
/// Calls throw ``LatchkeyError``, and `CancellationError` when their task is cancelled. A call that fails for a passing reason is
/// made again, as ``Retry`` says. No redirect is followed, and no cookie is kept or sent.
public final class LatchkeyClient: Sendable {
    let caller: HTTPCaller

    /// Makes a client. Throws a ``LatchkeyError`` that names an argument with which no call could succeed.
    ///
    /// - Parameters:
    ///   - baseURL: Without the API's path: `https://api.example.com`. It must begin with https://, but on this machine.
    ///   - credentials: Who calls.
    ///   - timeout: The longest time for one call with all its attempts, in seconds.
    ///   - retry: How often a call is made again, and after which pauses.
    ///   - insecureHTTP: Allows a `baseURL` that begins with http:// beyond this machine, as in a private network. Credentials
    ///     are then sent in the clear. In an app, App Transport Security must allow it, too.
    ///   - configuration: Of the connections, such as a proxy. Cookies and caches are switched off in a copy of it.
    public init(
        baseURL: String,
        credentials: Credentials,
        timeout: TimeInterval = 60,
        retry: Retry = Retry(),
        insecureHTTP: Bool = false,
        configuration: URLSessionConfiguration = .ephemeral
    ) throws {
        guard timeout > 0, timeout.isFinite else { throw LatchkeyError.argument("timeout must be above 0, in seconds") }
        caller = HTTPCaller(
            baseURL: try checkedBaseURL(baseURL, insecureHTTP: insecureHTTP),
            identity: try Identity(credentials),
            session: Session(configuration),
            retry: try retry.checked(),
            timeout: timeout
        )
    }

    private init(caller: HTTPCaller) {
        self.caller = caller
    }

    /// A client of the same service for another caller, which shares the connections: a server may make one for each user.
    public func acting(as credentials: Credentials) throws -> LatchkeyClient {
        LatchkeyClient(caller: caller.with(identity: try Identity(credentials)))
    }
}

extension LatchkeyClient {
    /// Dashboard users only.
    public var apiKeys: V1.ApiKeyService { V1.ApiKeyService(caller: caller) }
    public var audit: V1.AuditService { V1.AuditService(caller: caller) }
    public var auth: V1.AuthService { V1.AuthService(caller: caller) }
    public var gateway: V1.GatewayService { V1.GatewayService(caller: caller) }
    /// Dashboard users only.
    public var keyPolicies: V1.KeyPolicyService { V1.KeyPolicyService(caller: caller) }
    /// Needs no credentials: those of the client are not looked at.
    public var leaks: V1.LeakService { V1.LeakService(caller: caller) }
    /// Dashboard users only.
    public var orgs: V1.OrgService { V1.OrgService(caller: caller) }
    public var requests: V1.RequestService { V1.RequestService(caller: caller) }
    public var scopes: V1.ScopeService { V1.ScopeService(caller: caller) }
    /// Dashboard users only.
    public var usage: V1.UsageService { V1.UsageService(caller: caller) }
    public var tokens: V1.TokenService { V1.TokenService(caller: caller) }
    public var federation: V1.FederationService { V1.FederationService(caller: caller) }
    public var webhooks: V1.WebhookService { V1.WebhookService(caller: caller) }
    /// For those who run the service: the operator, or a dashboard user with `system:*`.
    public var `operator`: V1.OperatorService { V1.OperatorService(caller: caller) }
}
