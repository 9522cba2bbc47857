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
