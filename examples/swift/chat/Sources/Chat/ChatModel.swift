import Foundation
import Latchkey
import Observation

/// A conversation of the app's user, as a view shows it.
@MainActor
@Observable
public final class ChatModel {
    /// A message on the screen.
    public struct Item: Identifiable, Equatable, Sendable {
        public enum State: Equatable, Sendable {
            case stored
            case sending
            /// It may not have arrived: ``ChatModel/sendAgain(_:)`` sends it as the same message.
            case failed
        }

        public let id: String
        public let text: String
        public let isFromUser: Bool
        public internal(set) var state: State
    }

    /// What keeps the user from going on, and what helps.
    public enum Problem: Equatable, Sendable {
        /// The identity provider must be asked for a new token: have the user sign in.
        case signIn
        /// The user's limit is spent for so many seconds.
        case tooFast(seconds: Int)
        /// The app's key was disabled or revoked.
        case updateApp
        case offline
        /// There will be no reply, or anything else; with words for the user.
        case other(String)
    }

    public private(set) var items: [Item] = []
    public private(set) var problem: Problem?
    public var draft = ""

    private let client: LatchkeyClient
    private let conversationKey: String

    public init(client: LatchkeyClient, conversationKey: String) {
        self.client = client
        self.conversationKey = conversationKey
    }

    public var canSend: Bool {
        !draft.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty && !isWaiting
    }

    public var isWaiting: Bool { items.contains { $0.state == .sending } }

    /// Shows what was said before.
    public func load() async {
        await reporting {
            do {
                let state = try await client.gateway.getConversationState(conversationKey: conversationKey)
                items = state.messages.map {
                    Item(id: $0.messageID, text: $0.text, isFromUser: $0.role == .user, state: .stored)
                }
            } catch let error as LatchkeyError where error.code == .notFound {
                // The first message makes the conversation.
                items = []
            }
        }
    }

    /// Sends the draft, and waits for the reply. Cancel the task to wait no longer.
    public func send() async {
        guard canSend else { return }
        // The item's id names the message, so that sending it again does not make a second one.
        let item = Item(id: UUID().uuidString.lowercased(), text: draft, isFromUser: true, state: .sending)
        items.append(item)
        draft = ""
        await deliver(item)
    }

    public func sendAgain(_ item: Item) async {
        guard item.state == .failed, !isWaiting else { return }
        set(.sending, of: item)
        await deliver(item)
    }

    private func deliver(_ item: Item) async {
        let isDone = await reporting {
            let reply = try await client.sendAndWait(
                item.text, conversationKey: conversationKey, clientMessageID: item.id
            )
            set(.stored, of: item)
            items.append(Item(id: reply.message.messageID, text: reply.text, isFromUser: false, state: .stored))
        }
        if !isDone { set(.failed, of: item) }
    }

    private func set(_ state: Item.State, of item: Item) {
        guard let index = items.firstIndex(where: { $0.id == item.id }) else { return }
        items[index].state = state
    }

    /// Whether the work was done. What failed is in `problem`.
    @discardableResult
    private func reporting(_ work: () async throws -> Void) async -> Bool {
        problem = nil
        do {
            try await work()
            return true
        } catch is CancellationError {
            return false
        } catch let error as LatchkeyError {
            problem = Problem(error)
        } catch {
            problem = .other(error.localizedDescription)
        }
        return false
    }
}

extension ChatModel.Problem {
    init(_ error: LatchkeyError) {
        switch error.reason {
        case .rateLimited?:
            self = .tooFast(seconds: Int((error.denial?.retryAfter ?? 60).rounded(.up)))
        case .apiKeyRevoked?, .apiKeyDisabled?, .apiKeyExpired?, .apiKeyNotFound?:
            self = .updateApp
        default:
            switch error.code {
            // Every other reason of a 401 is the token's: it has expired and its provider has no other, or the user has signed out.
            case .unauthenticated: self = .signIn
            case .unavailable, .deadlineExceeded: self = .offline
            default: self = .other(error.message)
            }
        }
    }

    /// Words for the user.
    public var text: String {
        switch self {
        case .signIn: "Sign in again to go on."
        case .tooFast(let seconds): "Too many messages. Try again in \(seconds) s."
        case .updateApp: "This version of the app is no longer supported. Update it."
        case .offline: "No connection. Try again."
        case .other(let words): words
        }
    }
}
