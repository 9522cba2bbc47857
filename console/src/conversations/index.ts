/** The pages of conversations, in one file: the frame, which is loaded first, names it once. */
export { ConversationPage } from "./conversation-page.tsx";
export { ConversationsPage } from "./conversations-page.tsx";
