import Connect
import Foundation
import Latchkey

let environment = ProcessInfo.processInfo.environment
let host = environment["LATCHKEY_URL"] ?? "http://127.0.0.1:8080"
let apiKey = environment["LATCHKEY_PUBLISHABLE_KEY"] ?? ""
let token = environment["LATCHKEY_USER_TOKEN"] ?? ""

let client = ProtocolClient(
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
message.userMessage.role = .user
message.userMessage.content = [part]

let sent = await gateway.sendMessage(request: message)
if let error = sent.error {
    // Every refusal carries its reason as a typed detail.
    let denial = (error.unpackedDetails() as [Latchkey_V1_Denial]).first
    switch denial?.reason {
    case .jwtExpired: print("Sign in again.")
    case .rateLimited: print("Come back in \(error.metadata["retry-after"]?.first ?? "some") s.")
    default: print(error.message ?? "The message could not be sent.")
    }
    exit(1)
}

var question = Latchkey_V1_GetConversationStateRequest()
question.conversationKey = "hello"
question.waitMs = 30_000
let state = await gateway.getConversationState(request: question)
for message in state.message?.messages ?? [] {
    print(message.role == .assistant ? "Latchkey:" : "You:", message.content.map(\.content).joined(separator: "\n"))
}
