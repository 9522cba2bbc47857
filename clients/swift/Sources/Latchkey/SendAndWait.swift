import Foundation

/// A message that was answered.
public struct Reply: Hashable, Sendable {
    /// `run_...`.
    public let runID: String
    /// `msg_...` of the message that was sent.
    public let messageID: String
    /// The assistant's message.
    public let message: V1.Message

    /// The text of all its parts, one a line.
    public var text: String { message.text }
}

/// A message was accepted, but there will be no reply to it. Sending it again starts another run.
public struct RunFailedError: Error, LocalizedError, Hashable, Sendable {
    /// `run_...`.
    public let runID: String
    public let conversationKey: String
    /// Why, as the service says it; empty where a later message's run has taken its place in the answer.
    public let reason: String

    public var errorDescription: String? {
        reason.isEmpty ? "\(runID) ended without a reply" : "\(runID) failed: \(reason)"
    }
}

extension LatchkeyClient {
    /// Sends a message and waits for its reply, however late it comes, outages included: cancel the task to wait no longer.
    ///
    /// Throws ``RunFailedError`` where there will be no reply, ``LatchkeyError`` where a call fails, and `CancellationError` when
    /// the task is cancelled. Once it was accepted, the message gets its reply whether or not a caller waits; the error's `runID`
    /// names its run.
    ///
    /// - Parameters:
    ///   - text: The text, at most 32,768 bytes of UTF-8.
    ///   - conversationKey: Name of the conversation, 1 to 256 characters; the first message creates it.
    ///   - clientMessageID: A name for the message: sent again under it, it is the same message. Default: a name of its own.
    public func sendAndWait(
        _ text: String, conversationKey: String, clientMessageID: String = ""
    ) async throws -> Reply {
        let sent = try await gateway.sendMessage(
            conversationKey: conversationKey, userMessage: V1.UserMessage(text), clientMessageID: clientMessageID
        )
        do {
            return Reply(runID: sent.runID, messageID: sent.messageID, message: try await Awaited(sent, by: caller).reply())
        } catch var error as LatchkeyError {
            error.runID = sent.runID
            throw error
        }
    }
}

/// A message whose reply is waited for. It is stored: neither a late answer nor an outage says anything about its run.
private struct Awaited {
    /// Longest the service holds an answer, in ms, and how long an answer may take beyond that, in seconds.
    private static let waitMs = 30_000
    private static let answerSeconds: TimeInterval = 15
    /// Pause where the answer was not held, as when the service is about to stop, or never came.
    private static let pauseSeconds: TimeInterval = 0.25
    /// Pause where the service is away: each read has been repeated already.
    private static let outagePauseSeconds: TimeInterval = 2

    private let sent: V1.SendMessageResponse
    private let gateway: V1.GatewayService

    init(_ sent: V1.SendMessageResponse, by caller: HTTPCaller) {
        self.sent = sent
        gateway = V1.GatewayService(caller: caller.with(timeout: Double(Self.waitMs) / 1_000 + Self.answerSeconds))
    }

    func reply() async throws -> V1.Message {
        while true {
            var pause = Self.pauseSeconds
            do {
                if let reply = try await find() { return reply }
            } catch let error as LatchkeyError where error.isPassing {
                pause = Self.outagePauseSeconds
            } catch let error as LatchkeyError where error.code == .deadlineExceeded {
                // It may come yet.
            }
            try await Task.sleep(seconds: pause)
        }
    }

    /// The reply, or nil while it may still come.
    ///
    /// A page holds a MiB of text, and others may have written more since: it reads back until it meets the message. Pages that
    /// are read later show what has ended since, so a reply that is there is never overlooked.
    private func find() async throws -> V1.Message? {
        var page = try await gateway.getConversationState(conversationKey: sent.conversationKey, waitMs: Self.waitMs)
        var hasEnded = false
        while true {
            if let reply = page.messages.first(where: { $0.runID == sent.runID && $0.role == .assistant }) { return reply }
            let place = page.messages.firstIndex { $0.messageID == sent.messageID }
            let later = page.messages.suffix(from: place.map { $0 + 1 } ?? 0)
            hasEnded = hasEnded || isEnded(page.run, later)
            if place != nil {
                guard hasEnded else { return nil }
                let reason = page.run.runID == sent.runID ? page.run.error : ""
                throw RunFailedError(runID: sent.runID, conversationKey: sent.conversationKey, reason: reason)
            }
            // Looking again would never end: the token may have become another user's, with a conversation of that name.
            guard let before = page.nextBeforeMessageID else {
                throw LatchkeyError(code: .notFound, message: "\(sent.messageID) is not to be found")
            }
            page = try await gateway.getConversationState(
                conversationKey: sent.conversationKey, beforeMessageID: before
            )
        }
    }

    /// Runs of one conversation go in order: where a later one was begun or answered, ours has ended.
    private func isEnded(_ latest: V1.Run, _ later: ArraySlice<V1.Message>) -> Bool {
        if latest.status == .completed || latest.status == .failed { return true }
        if latest.status == .running && latest.runID != sent.runID { return true }
        return later.contains { $0.role == .assistant }
    }
}
