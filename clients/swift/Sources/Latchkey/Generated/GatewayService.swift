// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// ListThreadsRequest names the page to read.
    public struct ListThreadsRequest: Codable, Hashable, Sendable {
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of threads in the answer. Default 0: 20. Above 100: 100.
        public var perPage: Int
        /// `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///
        /// The other members must be those of the request before; `per_page` may be left out.
        public var pageToken: String

        public init(page: Int = 0, perPage: Int = 0, pageToken: String = "") {
            self.page = page
            self.perPage = perPage
            self.pageToken = pageToken
        }

        enum CodingKeys: String, CodingKey {
            case page
            case perPage = "per_page"
            case pageToken = "page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.page = try members.decodeIfPresent(Int.self, forKey: .page) ?? 0
            self.perPage = try members.decodeIfPresent(Int.self, forKey: .perPage) ?? 0
            self.pageToken = try members.decodeIfPresent(String.self, forKey: .pageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.page, forKey: .page, unless: 0)
            try members.encode(self.perPage, forKey: .perPage, unless: 0)
            try members.encode(self.pageToken, forKey: .pageToken, unless: "")
        }
    }

    /// ListThreadsResponse is one page of threads.
    public struct ListThreadsResponse: Codable, Hashable, Sendable {
        /// The threads, latest first.
        public var threads: [Thread]
        /// Where this page stands.
        public var pagination: Pagination
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(threads: [Thread] = [], pagination: Pagination = Pagination(), nextPageToken: String = "") {
            self.threads = threads
            self.pagination = pagination
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case threads
            case pagination
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.threads = try members.decodeIfPresent([Thread].self, forKey: .threads) ?? []
            self.pagination = try members.decodeIfPresent(Pagination.self, forKey: .pagination) ?? Pagination()
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.threads, forKey: .threads, unless: [])
            try members.encode(self.pagination, forKey: .pagination, unless: Pagination())
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// UserMessage is a message to the assistant.
    public struct UserMessage: Codable, Hashable, Sendable {
        /// `ROLE_USER`. Required.
        public var role: Role
        /// 1 to 32 text parts, at most 32,768 bytes of UTF-8 in all. Required.
        public var content: [ContentPart]

        public init(role: Role = .unspecified, content: [ContentPart] = []) {
            self.role = role
            self.content = content
        }

        enum CodingKeys: String, CodingKey {
            case role
            case content
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.role = try members.decodeIfPresent(Role.self, forKey: .role) ?? .unspecified
            self.content = try members.decodeIfPresent([ContentPart].self, forKey: .content) ?? []
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.role, forKey: .role, unless: .unspecified)
            try members.encode(self.content, forKey: .content, unless: [])
        }
    }

    /// SendMessageRequest holds a message and names its conversation.
    public struct SendMessageRequest: Codable, Hashable, Sendable {
        /// Name of the conversation, chosen by the caller, 1 to 256 characters. Required.
        public var conversationKey: String
        /// The message. Required.
        public var userMessage: UserMessage?
        /// Your own name for this message, so that it can be sent again without a second reply.
        ///
        /// Up to 128 characters, unique for each user for ever. The same message under the same name is answered with the
        /// first one's `runId`, also if that run failed; another message under the same name is a failed precondition.
        /// Default empty: each call is a new message.
        public var clientMessageID: String

        public init(conversationKey: String, userMessage: UserMessage, clientMessageID: String = "") {
            self.conversationKey = conversationKey
            self.userMessage = userMessage
            self.clientMessageID = clientMessageID
        }

        enum CodingKeys: String, CodingKey {
            case conversationKey = "conversation_key"
            case userMessage = "user_message"
            case clientMessageID = "client_message_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.conversationKey = try members.decodeIfPresent(String.self, forKey: .conversationKey) ?? ""
            self.userMessage = try members.decodeIfPresent(UserMessage.self, forKey: .userMessage)
            self.clientMessageID = try members.decodeIfPresent(String.self, forKey: .clientMessageID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.conversationKey, forKey: .conversationKey, unless: "")
            try members.encodeIfPresent(self.userMessage, forKey: .userMessage)
            try members.encode(self.clientMessageID, forKey: .clientMessageID, unless: "")
        }
    }

    /// SendMessageResponse acknowledges a stored message.
    public struct SendMessageResponse: Codable, Hashable, Sendable {
        /// Identifier of the run that produces the reply, `run_...`.
        public var runID: String
        /// Identifier of the stored message, `msg_...`.
        public var messageID: String
        /// Name of the conversation, as sent.
        public var conversationKey: String

        public init(runID: String = "", messageID: String = "", conversationKey: String = "") {
            self.runID = runID
            self.messageID = messageID
            self.conversationKey = conversationKey
        }

        enum CodingKeys: String, CodingKey {
            case runID = "runId"
            case messageID = "message_id"
            case conversationKey = "conversation_key"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.runID = try members.decodeIfPresent(String.self, forKey: .runID) ?? ""
            self.messageID = try members.decodeIfPresent(String.self, forKey: .messageID) ?? ""
            self.conversationKey = try members.decodeIfPresent(String.self, forKey: .conversationKey) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.runID, forKey: .runID, unless: "")
            try members.encode(self.messageID, forKey: .messageID, unless: "")
            try members.encode(self.conversationKey, forKey: .conversationKey, unless: "")
        }
    }

    /// GetConversationStateRequest names a conversation.
    public struct GetConversationStateRequest: Codable, Hashable, Sendable {
        /// Name of the conversation, 1 to 256 characters. Required.
        public var conversationKey: String
        /// Milliseconds to hold the answer while a run is queued or running, 0 to 30,000. Default 0: answer at once.
        ///
        /// The answer comes early, with the state as it is, when the service is about to stop or when too many callers wait
        /// already (500 of a tenant, 2,000 in all, for each replica). A caller that still finds a run unfinished pauses
        /// before it calls again.
        public var waitMs: Int
        /// The thread to read where several users have a conversation of that name, as ListThreads returns it.
        ///
        /// Only of use to callers that see the whole tenant. Default empty: the backend's own conversation of that name,
        /// else the one written to last.
        public var threadID: String
        /// Maximum number of messages in the answer, 0 to 1,000. Default 0: 1,000.
        ///
        /// Fewer are returned if they are long: all messages of a page have 1 MiB together, unless it is a single one.
        public var messagesMax: Int
        /// Reads the messages before this one: the `next_before_message_id` of the page at hand. Default empty: the latest
        /// messages.
        public var beforeMessageID: String

        public init(
            conversationKey: String,
            waitMs: Int = 0,
            threadID: String = "",
            messagesMax: Int = 0,
            beforeMessageID: String = ""
        ) {
            self.conversationKey = conversationKey
            self.waitMs = waitMs
            self.threadID = threadID
            self.messagesMax = messagesMax
            self.beforeMessageID = beforeMessageID
        }

        enum CodingKeys: String, CodingKey {
            case conversationKey = "conversation_key"
            case waitMs = "wait_ms"
            case threadID = "thread_id"
            case messagesMax = "messages_max"
            case beforeMessageID = "before_message_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.conversationKey = try members.decodeIfPresent(String.self, forKey: .conversationKey) ?? ""
            self.waitMs = try members.decodeIfPresent(Int.self, forKey: .waitMs) ?? 0
            self.threadID = try members.decodeIfPresent(String.self, forKey: .threadID) ?? ""
            self.messagesMax = try members.decodeIfPresent(Int.self, forKey: .messagesMax) ?? 0
            self.beforeMessageID = try members.decodeIfPresent(String.self, forKey: .beforeMessageID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.conversationKey, forKey: .conversationKey, unless: "")
            try members.encode(self.waitMs, forKey: .waitMs, unless: 0)
            try members.encode(self.threadID, forKey: .threadID, unless: "")
            try members.encode(self.messagesMax, forKey: .messagesMax, unless: 0)
            try members.encode(self.beforeMessageID, forKey: .beforeMessageID, unless: "")
        }
    }

    /// GetConversationStateResponse is a conversation as it stands.
    public struct GetConversationStateResponse: Codable, Hashable, Sendable {
        /// Name of the conversation.
        public var conversationKey: String
        /// Whether a reply is to be expected.
        public var status: ConversationStatus
        /// The messages, in order: the latest, or those before `before_message_id`.
        ///
        /// The order is that of the turns: a user's message, then its reply. So a reply's `created_at` may be later than
        /// that of the message behind it, which was sent before the reply was there.
        public var messages: [Message]
        /// The latest run.
        public var run: Run
        /// The `before_message_id` with which to read the messages before these. Absent: these are the first.
        public var nextBeforeMessageID: String?

        public init(
            conversationKey: String = "",
            status: ConversationStatus = .unspecified,
            messages: [Message] = [],
            run: Run = Run(),
            nextBeforeMessageID: String? = nil
        ) {
            self.conversationKey = conversationKey
            self.status = status
            self.messages = messages
            self.run = run
            self.nextBeforeMessageID = nextBeforeMessageID
        }

        enum CodingKeys: String, CodingKey {
            case conversationKey = "conversation_key"
            case status
            case messages
            case run
            case nextBeforeMessageID = "next_before_message_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.conversationKey = try members.decodeIfPresent(String.self, forKey: .conversationKey) ?? ""
            self.status = try members.decodeIfPresent(ConversationStatus.self, forKey: .status) ?? .unspecified
            self.messages = try members.decodeIfPresent([Message].self, forKey: .messages) ?? []
            self.run = try members.decodeIfPresent(Run.self, forKey: .run) ?? Run()
            self.nextBeforeMessageID = try members.decodeIfPresent(String.self, forKey: .nextBeforeMessageID)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.conversationKey, forKey: .conversationKey, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.messages, forKey: .messages, unless: [])
            try members.encode(self.run, forKey: .run, unless: Run())
            try members.encodeIfPresent(self.nextBeforeMessageID, forKey: .nextBeforeMessageID)
        }
    }

    /// GatewayService carries conversations with the assistant.
    ///
    /// A conversation belongs to a tenant and a user: the publishable key's user, the user a secret key acts for
    /// (`X-On-Behalf-Of`), or no user. Such a user sees only their own conversations; a secret key by itself and a
    /// dashboard user see the tenant's.
    public struct GatewayService: Sendable {
        let caller: HTTPCaller

        /// ListThreads lists the conversations that the caller may see, latest first.
        ///
        /// Any JSON object is accepted and unknown members are ignored, within the bounds of every body: no duplicate members
        /// in an object, and at most 5,000 of the characters `{`, `[`, `:` and `,` outside of strings.
        ///
        /// An API key needs the scope `conversations:read`. A dashboard user needs `conversations:read`.
        ///
        /// - Parameters:
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of threads in the answer. Default 0: 20. Above 100: 100.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        public func listThreads(page: Int = 0, perPage: Int = 0, pageToken: String = "") async throws -> ListThreadsResponse {
            try await listThreads(ListThreadsRequest(page: page, perPage: perPage, pageToken: pageToken))
        }

        /// ListThreads, with a request that was made before.
        public func listThreads(_ request: ListThreadsRequest) async throws -> ListThreadsResponse {
            try await caller.call("/api/v1/llm/gateway/list-threads", request, isRepeatable: true)
        }

        /// SendMessage stores a user's message and answers at once; the reply is produced in the background.
        ///
        /// Poll GetConversationState for the reply. The conversation is created by its first message. With `client_message_id`
        /// the call can be repeated safely. While 5,000 messages of the conversation wait for a reply, another one is a failed
        /// precondition.
        ///
        /// An API key needs the scope `conversations:write`. A dashboard user needs `conversations:write`.
        ///
        /// - Parameters:
        ///   - conversationKey: Name of the conversation, chosen by the caller, 1 to 256 characters. Required.
        ///   - userMessage: The message. Required.
        ///   - clientMessageID: Your own name for this message, so that it can be sent again without a second reply. Up to 128
        ///     characters, unique for each user for ever. The same message under the same name is answered with the first one's
        ///     `runId`, also if that run failed; another message under the same name is a failed precondition. Default empty:
        ///     each call is a new message.
        public func sendMessage(
            conversationKey: String,
            userMessage: UserMessage,
            clientMessageID: String = ""
        ) async throws -> SendMessageResponse {
            try await sendMessage(
                SendMessageRequest(conversationKey: conversationKey, userMessage: userMessage, clientMessageID: clientMessageID)
            )
        }

        /// SendMessage, with a request that was made before.
        public func sendMessage(_ request: SendMessageRequest) async throws -> SendMessageResponse {
            try await caller.call("/api/v1/llm/gateway/send-message", named(request, \.clientMessageID), isRepeatable: true)
        }

        /// GetConversationState reads a conversation's latest messages and its latest run; earlier messages in pages.
        ///
        /// An API key needs the scope `conversations:read`. A dashboard user needs `conversations:read`.
        ///
        /// - Parameters:
        ///   - conversationKey: Name of the conversation, 1 to 256 characters. Required.
        ///   - waitMs: Milliseconds to hold the answer while a run is queued or running, 0 to 30,000. Default 0: answer at
        ///     once. The answer comes early, with the state as it is, when the service is about to stop or when too many
        ///     callers wait already (500 of a tenant, 2,000 in all, for each replica). A caller that still finds a run
        ///     unfinished pauses before it calls again.
        ///   - threadID: The thread to read where several users have a conversation of that name, as ListThreads returns it.
        ///     Only of use to callers that see the whole tenant. Default empty: the backend's own conversation of that name,
        ///     else the one written to last.
        ///   - messagesMax: Maximum number of messages in the answer, 0 to 1,000. Default 0: 1,000. Fewer are returned if they
        ///     are long: all messages of a page have 1 MiB together, unless it is a single one.
        ///   - beforeMessageID: Reads the messages before this one: the `next_before_message_id` of the page at hand. Default
        ///     empty: the latest messages.
        public func getConversationState(
            conversationKey: String,
            waitMs: Int = 0,
            threadID: String = "",
            messagesMax: Int = 0,
            beforeMessageID: String = ""
        ) async throws -> GetConversationStateResponse {
            try await getConversationState(
                GetConversationStateRequest(conversationKey: conversationKey, waitMs: waitMs, threadID: threadID, messagesMax: messagesMax, beforeMessageID: beforeMessageID)
            )
        }

        /// GetConversationState, with a request that was made before.
        public func getConversationState(_ request: GetConversationStateRequest) async throws -> GetConversationStateResponse {
            try await caller.call("/api/v1/llm/gateway/get-conversation-state", request, isRepeatable: true)
        }
    }
}
