import Foundation

extension V1.UserMessage {
    /// A message of these texts, 1 to 32, at most 32,768 bytes of UTF-8 in all.
    public init(_ texts: String...) {
        self.init(role: .user, content: texts.map { V1.ContentPart(type: .text, content: $0) })
    }
}

extension V1.Message {
    /// The text of all parts, one a line.
    public var text: String { content.map(\.content).joined(separator: "\n") }
}

extension V1.SendMessageRequest {
    /// With a name of its own, so that a retry is the same message. The caller's request stays as it is: the same text, sent again
    /// on purpose, is another message.
    func named() -> V1.SendMessageRequest {
        guard clientMessageID.isEmpty else { return self }
        var request = self
        request.clientMessageID = UUID().uuidString.lowercased()
        return request
    }
}
