// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// Role says who wrote a message.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct Role: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never valid.
        public static let unspecified = Role(rawValue: "ROLE_UNSPECIFIED")

        /// The user.
        public static let user = Role(rawValue: "ROLE_USER")

        /// The assistant. Only in answers.
        public static let assistant = Role(rawValue: "ROLE_ASSISTANT")
    }

    /// ContentPartType is a kind of message content.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct ContentPartType: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never valid.
        public static let unspecified = ContentPartType(rawValue: "CONTENT_PART_TYPE_UNSPECIFIED")

        /// Plain text.
        public static let text = ContentPartType(rawValue: "CONTENT_PART_TYPE_TEXT")
    }

    /// ConversationStatus says whether a reply is to be expected.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct ConversationStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never sent.
        public static let unspecified = ConversationStatus(rawValue: "CONVERSATION_STATUS_UNSPECIFIED")

        /// Every message was answered, or its run failed.
        public static let idle = ConversationStatus(rawValue: "CONVERSATION_STATUS_IDLE")

        /// At least one run is queued or running.
        public static let running = ConversationStatus(rawValue: "CONVERSATION_STATUS_RUNNING")
    }

    /// RunStatus is the state of the work on one user message.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct RunStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never sent.
        public static let unspecified = RunStatus(rawValue: "RUN_STATUS_UNSPECIFIED")

        /// Accepted, waiting for its turn.
        public static let queued = RunStatus(rawValue: "RUN_STATUS_QUEUED")

        /// The assistant is at work.
        public static let running = RunStatus(rawValue: "RUN_STATUS_RUNNING")

        /// The reply is there. Final.
        public static let completed = RunStatus(rawValue: "RUN_STATUS_COMPLETED")

        /// There will be no reply; `error` says why. Final.
        public static let failed = RunStatus(rawValue: "RUN_STATUS_FAILED")
    }

    /// FinishReason says how a reply ended.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct FinishReason: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never sent.
        public static let unspecified = FinishReason(rawValue: "FINISH_REASON_UNSPECIFIED")

        /// The model finished. The reply is complete.
        public static let stop = FinishReason(rawValue: "FINISH_REASON_STOP")

        /// The model reached its limit of tokens. The end of the reply is missing.
        public static let length = FinishReason(rawValue: "FINISH_REASON_LENGTH")

        /// The provider's content filter kept a part of the reply back.
        public static let contentFilter = FinishReason(rawValue: "FINISH_REASON_CONTENT_FILTER")

        /// Another reason, such as a call of a tool after the text. The reply may not be whole.
        public static let other = FinishReason(rawValue: "FINISH_REASON_OTHER")
    }

    /// ContentPart is a piece of a message.
    public struct ContentPart: Codable, Hashable, Sendable {
        /// Kind of content: `CONTENT_PART_TYPE_TEXT`.
        public var type: ContentPartType
        /// The text.
        public var content: String

        public init(type: ContentPartType = .unspecified, content: String = "") {
            self.type = type
            self.content = content
        }

        enum CodingKeys: String, CodingKey {
            case type
            case content
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.type = try members.decodeIfPresent(ContentPartType.self, forKey: .type) ?? .unspecified
            self.content = try members.decodeIfPresent(String.self, forKey: .content) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.type, forKey: .type, unless: .unspecified)
            try members.encode(self.content, forKey: .content, unless: "")
        }
    }

    /// Thread is a conversation as lists show it.
    public struct Thread: Codable, Hashable, Sendable {
        /// Identifier of the thread, `thr_...`.
        public var threadID: String
        /// The name its callers gave it.
        public var conversationKey: String
        /// The user it belongs to; empty where it belongs to the tenant's backend.
        public var userID: String
        /// Messages in it, the assistant's included.
        public var messageCount: Int
        /// When its first message was stored.
        public var createdAt: Date
        /// When its latest message was stored.
        public var updatedAt: Date

        public init(
            threadID: String = "",
            conversationKey: String = "",
            userID: String = "",
            messageCount: Int = 0,
            createdAt: Date = Date(timeIntervalSince1970: 0),
            updatedAt: Date = Date(timeIntervalSince1970: 0)
        ) {
            self.threadID = threadID
            self.conversationKey = conversationKey
            self.userID = userID
            self.messageCount = messageCount
            self.createdAt = createdAt
            self.updatedAt = updatedAt
        }

        enum CodingKeys: String, CodingKey {
            case threadID = "thread_id"
            case conversationKey = "conversation_key"
            case userID = "user_id"
            case messageCount = "message_count"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.threadID = try members.decodeIfPresent(String.self, forKey: .threadID) ?? ""
            self.conversationKey = try members.decodeIfPresent(String.self, forKey: .conversationKey) ?? ""
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.messageCount = try members.decodeIfPresent(Int.self, forKey: .messageCount) ?? 0
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.updatedAt = try members.decodeIfPresent(Date.self, forKey: .updatedAt) ?? Date(timeIntervalSince1970: 0)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.threadID, forKey: .threadID, unless: "")
            try members.encode(self.conversationKey, forKey: .conversationKey, unless: "")
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.messageCount, forKey: .messageCount, unless: 0)
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.updatedAt, forKey: .updatedAt, unless: Date(timeIntervalSince1970: 0))
        }
    }

    /// Message is one message of a conversation.
    public struct Message: Codable, Hashable, Sendable {
        /// Identifier of the message, `msg_...`.
        public var messageID: String
        /// Its author.
        public var role: Role
        /// Its text.
        public var content: [ContentPart]
        /// When it was stored.
        public var createdAt: Date
        /// The run it started, or the run that produced it.
        public var runID: String

        public init(
            messageID: String = "",
            role: Role = .unspecified,
            content: [ContentPart] = [],
            createdAt: Date = Date(timeIntervalSince1970: 0),
            runID: String = ""
        ) {
            self.messageID = messageID
            self.role = role
            self.content = content
            self.createdAt = createdAt
            self.runID = runID
        }

        enum CodingKeys: String, CodingKey {
            case messageID = "message_id"
            case role
            case content
            case createdAt = "created_at"
            case runID = "runId"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.messageID = try members.decodeIfPresent(String.self, forKey: .messageID) ?? ""
            self.role = try members.decodeIfPresent(Role.self, forKey: .role) ?? .unspecified
            self.content = try members.decodeIfPresent([ContentPart].self, forKey: .content) ?? []
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.runID = try members.decodeIfPresent(String.self, forKey: .runID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.messageID, forKey: .messageID, unless: "")
            try members.encode(self.role, forKey: .role, unless: .unspecified)
            try members.encode(self.content, forKey: .content, unless: [])
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.runID, forKey: .runID, unless: "")
        }
    }

    /// Run is the work on one user message. It ends in exactly one reply or one failure.
    public struct Run: Codable, Hashable, Sendable {
        /// Identifier of the run, `run_...`.
        public var runID: String
        /// State of the run.
        public var status: RunStatus
        /// Why it failed, in a sentence of a closed list; empty unless it did. Never what the model's provider said.
        public var error: String
        /// The token usage of the reply. Absent until the run is completed, and where the model does not report it.
        public var tokenUsage: TokenUsage?
        /// How the reply ended. Absent until the run is completed, and where the model does not say.
        public var finishReason: FinishReason?

        public init(
            runID: String = "",
            status: RunStatus = .unspecified,
            error: String = "",
            tokenUsage: TokenUsage? = nil,
            finishReason: FinishReason? = nil
        ) {
            self.runID = runID
            self.status = status
            self.error = error
            self.tokenUsage = tokenUsage
            self.finishReason = finishReason
        }

        enum CodingKeys: String, CodingKey {
            case runID = "runId"
            case status
            case error
            case tokenUsage = "token_usage"
            case finishReason = "finish_reason"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.runID = try members.decodeIfPresent(String.self, forKey: .runID) ?? ""
            self.status = try members.decodeIfPresent(RunStatus.self, forKey: .status) ?? .unspecified
            self.error = try members.decodeIfPresent(String.self, forKey: .error) ?? ""
            self.tokenUsage = try members.decodeIfPresent(TokenUsage.self, forKey: .tokenUsage)
            self.finishReason = try members.decodeIfPresent(FinishReason.self, forKey: .finishReason)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.runID, forKey: .runID, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.error, forKey: .error, unless: "")
            try members.encodeIfPresent(self.tokenUsage, forKey: .tokenUsage)
            try members.encodeIfPresent(self.finishReason, forKey: .finishReason)
        }
    }

    /// TokenUsage is the number of tokens of a reply, as the model reports it.
    public struct TokenUsage: Codable, Hashable, Sendable {
        /// Tokens the model read: instructions, history and message.
        public var promptTokens: Int
        /// Tokens the model wrote.
        public var completionTokens: Int

        public init(promptTokens: Int = 0, completionTokens: Int = 0) {
            self.promptTokens = promptTokens
            self.completionTokens = completionTokens
        }

        enum CodingKeys: String, CodingKey {
            case promptTokens = "prompt_tokens"
            case completionTokens = "completion_tokens"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.promptTokens = try members.decodeIfPresent(Int.self, forKey: .promptTokens) ?? 0
            self.completionTokens = try members.decodeIfPresent(Int.self, forKey: .completionTokens) ?? 0
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.promptTokens, forKey: .promptTokens, unless: 0)
            try members.encode(self.completionTokens, forKey: .completionTokens, unless: 0)
        }
    }
}
