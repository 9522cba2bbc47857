import Foundation
import Latchkey
import Testing

@testable import Chat

/// They run by `npm run test:peers -- swift` in the root of the repository.
@MainActor
struct ChatModelTests {
    private static func value(_ name: String) -> String {
        ProcessInfo.processInfo.environment["LATCHKEY_\(name)"] ?? ""
    }

    /// A base URL at which the service goes wrong.
    private func fault(_ path: String) -> String {
        let parts = path.split(separator: "/", maxSplits: 1)
        return ([Self.value("FAULTS"), String(parts[0]), UUID().uuidString] + parts.dropFirst().map(String.init))
            .joined(separator: "/")
    }

    private func client(at baseURL: String? = nil, token: String? = nil) throws -> LatchkeyClient {
        let token = token ?? Self.value("USER_TOKEN")
        return try LatchkeyClient(
            baseURL: baseURL ?? Self.value("URL"),
            credentials: .publishableKey(Self.value("PUBLISHABLE_KEY")) { _ in token },
            retry: Retry(attemptsMax: 2)
        )
    }

    @Test
    func aMessageAndItsReplyAreShownAndThereAgainAfterAStart() async throws {
        let model = ChatModel(client: try client(), conversationKey: UUID().uuidString)
        await model.load()
        #expect(model.items == [])
        #expect(!model.canSend)
        model.draft = "Hi"
        await model.send()
        #expect(model.problem == nil)
        #expect(model.draft == "")
        #expect(model.items.map(\.isFromUser) == [true, false])
        #expect(model.items.map(\.state) == [.stored, .stored])
        #expect(model.items[1].text.contains("Hi"))
    }

    @Test
    func whatWasSaidBeforeIsLoaded() async throws {
        let key = UUID().uuidString
        _ = try await client().sendAndWait("Before", conversationKey: key)
        let model = ChatModel(client: try client(), conversationKey: key)
        await model.load()
        #expect(model.items.map(\.isFromUser) == [true, false])
        #expect(model.items.first?.text == "Before")
    }

    @Test
    func aMessageWhoseAnswerWasLostIsSentAgainAsTheSameMessage() async throws {
        let key = UUID().uuidString
        let model = ChatModel(client: try client(at: fault("lost/2/-")), conversationKey: key)
        model.draft = "Once"
        await model.send()
        #expect(model.problem == .offline)
        #expect(model.items.map(\.state) == [.failed])
        await model.sendAgain(model.items[0])
        #expect(model.problem == nil)
        #expect(model.items.map(\.state) == [.stored, .stored])
        let state = try await client().gateway.getConversationState(conversationKey: key)
        #expect(state.messages.filter { $0.role == .user }.count == 1)
    }

    @Test
    func eachProblemHasItsRemedy() async throws {
        for (reason, problem) in [
            ("jwt_expired", .signIn), ("jwt_invalid_signature", .signIn), ("api_key_revoked", .updateApp),
        ] as [(String, ChatModel.Problem)] {
            let model = ChatModel(client: try client(at: fault("denied/\(reason)")), conversationKey: "problems")
            await model.load()
            #expect(model.problem == problem, "\(reason)")
        }
        let limited = ChatModel(client: try client(at: fault("denied/rate_limited")), conversationKey: "problems")
        await limited.load()
        guard case .tooFast(let seconds) = limited.problem else {
            Issue.record("it is \(String(describing: limited.problem))")
            return
        }
        #expect(seconds > 30)
        let away = ChatModel(client: try client(at: "http://127.0.0.1:9"), conversationKey: "problems")
        await away.load()
        #expect(away.problem == .offline)
    }

    @Test
    func aLeftScreenReportsNoProblem() async throws {
        let model = ChatModel(client: try client(at: fault("hang")), conversationKey: "left")
        model.draft = "Hi"
        let task = Task { await model.send() }
        while !model.isWaiting { await Task.yield() }
        task.cancel()
        await task.value
        #expect(model.problem == nil)
        #expect(model.items.map(\.state) == [.failed])
    }
}
