import Connect
import Foundation
import Latchkey

let environment = ProcessInfo.processInfo.environment
let host = environment["LATCHKEY_URL"] ?? "http://127.0.0.1:8080"
let apiKey = environment["LATCHKEY_PUBLISHABLE_KEY"] ?? ""
let token = environment["LATCHKEY_USER_TOKEN"] ?? ""

let client = ProtocolClient(
    httpClient: Transport(),
    // Without requestCompression, which the service does not take.
    config: ProtocolClientConfig(
        host: host,
        networkProtocol: .connect,
        codec: ProtoCodec(),
        interceptors: [InterceptorFactory { _ in Credentials(apiKey: apiKey) { token } }]
    )
)
let gateway = Latchkey_V1_GatewayServiceClient(client: client)

var part = Latchkey_V1_ContentPart()
part.type = .text
part.content = "Hi"
var message = Latchkey_V1_SendMessageRequest()
message.conversationKey = "hello"
// So that the message can be sent again without a second reply.
message.clientMessageID = UUID().uuidString
message.userMessage.role = .user
message.userMessage.content = [part]

/// Words for the user. Only the service's own errors have a detail: the message of any other is a proxy's page, or nothing.
func words(for error: ConnectError) -> String {
    let denials: [Latchkey_V1_Denial] = error.unpackedDetails()
    let infos: [Latchkey_V1_ErrorInfo] = error.unpackedDetails()
    switch denials.first?.reason {
    case .jwtExpired: return "Sign in again."
    case .rateLimited: return "Come back in \(error.metadata["retry-after"]?.first ?? "some") s."
    case .none where infos.isEmpty: return "The service could not be reached (\(error.code))."
    default: return error.message ?? "The call failed (\(error.code))."
    }
}

let sent = await gateway.sendMessage(request: message)
if let error = sent.error {
    print(words(for: error))
    exit(1)
}

var question = Latchkey_V1_GetConversationStateRequest()
question.conversationKey = "hello"
question.waitMs = 30_000
let state = await gateway.getConversationState(request: question)
if let error = state.error {
    print(words(for: error))
    exit(1)
}
for message in state.message?.messages ?? [] {
    print(message.role == .assistant ? "Latchkey:" : "You:", message.content.map(\.content).joined(separator: "\n"))
}
