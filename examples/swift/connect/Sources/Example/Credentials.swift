import Connect
import Foundation

/// Puts the publishable key and the user's current token on every request.
///
/// The token is requested for each call, so that a refreshed one is sent. A publishable key is public and
/// may be part of an app; a secret key may not.
final class Credentials: UnaryInterceptor {
    private let apiKey: String
    private let userToken: @Sendable () async throws -> String

    init(apiKey: String, userToken: @escaping @Sendable () async throws -> String) {
        self.apiKey = apiKey
        self.userToken = userToken
    }

    @Sendable
    func handleUnaryRequest<Message: ProtobufMessage>(
        _ request: HTTPRequest<Message>,
        proceed: @escaping @Sendable (Result<HTTPRequest<Message>, ConnectError>) -> Void
    ) {
        Task {
            do {
                var headers = request.headers
                headers["x-api-key"] = [apiKey]
                headers["authorization"] = ["Bearer \(try await userToken())"]
                proceed(.success(HTTPRequest(
                    url: request.url,
                    headers: headers,
                    message: request.message,
                    method: request.method,
                    trailers: request.trailers,
                    idempotencyLevel: request.idempotencyLevel
                )))
            } catch {
                proceed(.failure(ConnectError(
                    code: .unauthenticated, message: "the user's token could not be had", exception: error
                )))
            }
        }
    }
}
