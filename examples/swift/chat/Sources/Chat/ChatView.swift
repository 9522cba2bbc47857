#if canImport(SwiftUI)
import Latchkey
import SwiftUI

/// The conversation, and a field for the next message.
public struct ChatView: View {
    @State private var model: ChatModel

    public init(client: LatchkeyClient, conversationKey: String = "chat") {
        _model = State(initialValue: ChatModel(client: client, conversationKey: conversationKey))
    }

    public var body: some View {
        VStack(spacing: 0) {
            ScrollView {
                LazyVStack(alignment: .leading, spacing: 8) {
                    ForEach(model.items) { item in row(item) }
                }
                .padding()
            }
            if let problem = model.problem {
                Text(problem.text).font(.footnote).foregroundStyle(.red).padding(.horizontal)
            }
            HStack {
                TextField("Message", text: $model.draft).textFieldStyle(.roundedBorder)
                Button("Send") { Task { await model.send() } }.disabled(!model.canSend)
            }
            .padding()
        }
        .task { await model.load() }
    }

    private func row(_ item: ChatModel.Item) -> some View {
        VStack(alignment: item.isFromUser ? .trailing : .leading) {
            Text(item.text)
                .padding(8)
                .background(item.isFromUser ? Color.accentColor.opacity(0.2) : Color.secondary.opacity(0.2))
                .clipShape(RoundedRectangle(cornerRadius: 8))
            switch item.state {
            case .stored: EmptyView()
            case .sending: ProgressView()
            case .failed: Button("Not sent. Try again") { Task { await model.sendAgain(item) } }.font(.footnote)
            }
        }
        .frame(maxWidth: .infinity, alignment: item.isFromUser ? .trailing : .leading)
    }
}
#endif
