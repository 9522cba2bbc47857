// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// CreateOrgRequest describes the organization to create.
    public struct CreateOrgRequest: Codable, Hashable, Sendable {
        /// Name, 1 to 128 characters, at least one of them visible. Required.
        public var name: String
        /// Your own name for this organization, so that the call can be repeated without a second one.
        ///
        /// Up to 128 characters, unique for each user for ever. The same call returns the first one's organization; another
        /// name is a failed precondition. Default empty: each call creates one.
        public var clientOrgID: String

        public init(name: String, clientOrgID: String = "") {
            self.name = name
            self.clientOrgID = clientOrgID
        }

        enum CodingKeys: String, CodingKey {
            case name
            case clientOrgID = "client_org_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.clientOrgID = try members.decodeIfPresent(String.self, forKey: .clientOrgID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.clientOrgID, forKey: .clientOrgID, unless: "")
        }
    }

    /// CreateOrgResponse holds the organization.
    public struct CreateOrgResponse: Codable, Hashable, Sendable {
        /// The organization.
        public var result: Organization

        public init(result: Organization = Organization()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Organization.self, forKey: .result) ?? Organization()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Organization())
        }
    }

    /// ListOrgsRequest names the page to read.
    public struct ListOrgsRequest: Codable, Hashable, Sendable {
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of organizations in the answer. Default 0: 20. Above 100: 100.
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

    /// ListOrgsResponse is one page of the caller's organizations.
    public struct ListOrgsResponse: Codable, Hashable, Sendable {
        /// The organizations, each with the caller's membership.
        public var orgs: [Membership]
        /// Where this page stands.
        public var pagination: Pagination
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(orgs: [Membership] = [], pagination: Pagination = Pagination(), nextPageToken: String = "") {
            self.orgs = orgs
            self.pagination = pagination
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case orgs
            case pagination
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.orgs = try members.decodeIfPresent([Membership].self, forKey: .orgs) ?? []
            self.pagination = try members.decodeIfPresent(Pagination.self, forKey: .pagination) ?? Pagination()
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.orgs, forKey: .orgs, unless: [])
            try members.encode(self.pagination, forKey: .pagination, unless: Pagination())
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// GetOrgRequest is empty.
    public struct GetOrgRequest: Codable, Hashable, Sendable {
        public init() {}
    }

    /// GetOrgResponse holds the organization.
    public struct GetOrgResponse: Codable, Hashable, Sendable {
        /// The organization.
        public var result: Organization

        public init(result: Organization = Organization()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Organization.self, forKey: .result) ?? Organization()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Organization())
        }
    }

    /// UpdateOrgRequest holds what to change.
    public struct UpdateOrgRequest: Codable, Hashable, Sendable {
        /// New name, 1 to 128 characters, at least one of them visible. Required.
        public var name: String

        public init(name: String) {
            self.name = name
        }

        enum CodingKeys: String, CodingKey {
            case name
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.name, forKey: .name, unless: "")
        }
    }

    /// UpdateOrgResponse holds the organization.
    public struct UpdateOrgResponse: Codable, Hashable, Sendable {
        /// The organization after the change.
        public var result: Organization

        public init(result: Organization = Organization()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Organization.self, forKey: .result) ?? Organization()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Organization())
        }
    }

    /// SwitchOrgRequest names an organization.
    public struct SwitchOrgRequest: Codable, Hashable, Sendable {
        /// Identifier of one of the caller's organizations. Required.
        public var orgID: String

        public init(orgID: String) {
            self.orgID = orgID
        }

        enum CodingKeys: String, CodingKey {
            case orgID = "org_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.orgID = try members.decodeIfPresent(String.self, forKey: .orgID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.orgID, forKey: .orgID, unless: "")
        }
    }

    /// SwitchOrgResponse holds the membership.
    public struct SwitchOrgResponse: Codable, Hashable, Sendable {
        /// The membership that is the current one now.
        public var result: Membership

        public init(result: Membership = Membership()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Membership.self, forKey: .result) ?? Membership()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Membership())
        }
    }

    /// ListMembersRequest names the page to read.
    public struct ListMembersRequest: Codable, Hashable, Sendable {
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of members in the answer. Default 0: 20. Above 100: 100.
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

    /// ListMembersResponse is one page of members.
    public struct ListMembersResponse: Codable, Hashable, Sendable {
        /// The members, the oldest first.
        public var members: [Member]
        /// Where this page stands.
        public var pagination: Pagination
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(members: [Member] = [], pagination: Pagination = Pagination(), nextPageToken: String = "") {
            self.members = members
            self.pagination = pagination
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case members
            case pagination
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.members = try members.decodeIfPresent([Member].self, forKey: .members) ?? []
            self.pagination = try members.decodeIfPresent(Pagination.self, forKey: .pagination) ?? Pagination()
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.members, forKey: .members, unless: [])
            try members.encode(self.pagination, forKey: .pagination, unless: Pagination())
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// SetMemberRoleRequest names a member and their new role.
    public struct SetMemberRoleRequest: Codable, Hashable, Sendable {
        /// Identifier of the user. Required.
        public var userID: String
        /// Issuer of the user's tokens. Default empty: the caller's own.
        public var issuer: String
        /// New role: built in, or one of the operator's. Required.
        public var role: String

        public init(userID: String, issuer: String = "", role: String) {
            self.userID = userID
            self.issuer = issuer
            self.role = role
        }

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case issuer
            case role
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.role = try members.decodeIfPresent(String.self, forKey: .role) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encode(self.role, forKey: .role, unless: "")
        }
    }

    /// SetMemberRoleResponse holds the member.
    public struct SetMemberRoleResponse: Codable, Hashable, Sendable {
        /// The member after the change.
        public var result: Member
        /// A warning about the change, as a sentence. Absent: no warning.
        ///
        /// It warns that the member's tokens keep their roles until they expire, where the roles of users are in their
        /// tokens.
        public var warning: String?

        public init(result: Member = Member(), warning: String? = nil) {
            self.result = result
            self.warning = warning
        }

        enum CodingKeys: String, CodingKey {
            case result
            case warning
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Member.self, forKey: .result) ?? Member()
            self.warning = try members.decodeIfPresent(String.self, forKey: .warning)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Member())
            try members.encodeIfPresent(self.warning, forKey: .warning)
        }
    }

    /// RemoveMemberRequest names a member.
    public struct RemoveMemberRequest: Codable, Hashable, Sendable {
        /// Identifier of the user. Required.
        public var userID: String
        /// Issuer of the user's tokens. Default empty: the caller's own.
        public var issuer: String

        public init(userID: String, issuer: String = "") {
            self.userID = userID
            self.issuer = issuer
        }

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case issuer
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
        }
    }

    /// RemoveMemberResponse holds the former member.
    public struct RemoveMemberResponse: Codable, Hashable, Sendable {
        /// The member as they were.
        public var result: Member

        public init(result: Member = Member()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Member.self, forKey: .result) ?? Member()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Member())
        }
    }

    /// CreateInvitationRequest names the user to invite.
    public struct CreateInvitationRequest: Codable, Hashable, Sendable {
        /// Email address, 3 to 254 characters. Upper and lower case of the letters A to Z do not matter. Required.
        public var email: String
        /// Role that the new member gets. Default empty: `viewer`.
        public var role: String
        /// Your own name for this call, so that it can be repeated without a second invitation.
        ///
        /// Up to 128 characters, unique for each caller for 24 hours. The same call within that time returns the first
        /// one's invitation, without its token; another one is `client_request_id_reused`. Default empty: each call makes
        /// an invitation.
        public var clientRequestID: String

        public init(email: String, role: String = "", clientRequestID: String = "") {
            self.email = email
            self.role = role
            self.clientRequestID = clientRequestID
        }

        enum CodingKeys: String, CodingKey {
            case email
            case role
            case clientRequestID = "client_request_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.email = try members.decodeIfPresent(String.self, forKey: .email) ?? ""
            self.role = try members.decodeIfPresent(String.self, forKey: .role) ?? ""
            self.clientRequestID = try members.decodeIfPresent(String.self, forKey: .clientRequestID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.email, forKey: .email, unless: "")
            try members.encode(self.role, forKey: .role, unless: "")
            try members.encode(self.clientRequestID, forKey: .clientRequestID, unless: "")
        }
    }

    /// CreateInvitationResponse holds the invitation and its token.
    public struct CreateInvitationResponse: Codable, Hashable, Sendable, CustomReflectable {
        /// The invitation.
        public var result: Invitation
        /// The token with which the invited person accepts, `inv_...`. It cannot be retrieved later.
        public var token: String
        /// Present, and true, if an earlier call with the same `client_request_id` has made the invitation: `token` is
        /// empty, since only its hash is stored. Without the first answer it is lost: revoke the invitation and create
        /// another.
        public var alreadyCreated: Bool?

        public init(result: Invitation = Invitation(), token: String = "", alreadyCreated: Bool? = nil) {
            self.result = result
            self.token = token
            self.alreadyCreated = alreadyCreated
        }

        enum CodingKeys: String, CodingKey {
            case result
            case token
            case alreadyCreated = "already_created"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Invitation.self, forKey: .result) ?? Invitation()
            self.token = try members.decodeIfPresent(String.self, forKey: .token) ?? ""
            self.alreadyCreated = try members.decodeIfPresent(Bool.self, forKey: .alreadyCreated)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Invitation())
            try members.encode(self.token, forKey: .token, unless: "")
            try members.encodeIfPresent(self.alreadyCreated, forKey: .alreadyCreated)
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "result": self.result,
                    "token": redacted(self.token),
                    "alreadyCreated": self.alreadyCreated as Any,
                ],
                displayStyle: .struct
            )
        }
    }

    /// ListInvitationsRequest names the page to read.
    public struct ListInvitationsRequest: Codable, Hashable, Sendable {
        /// Page, from 1. Default 0: the first.
        public var page: Int
        /// Maximum number of invitations in the answer. Default 0: 20. Above 100: 100.
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

    /// ListInvitationsResponse is one page of invitations.
    public struct ListInvitationsResponse: Codable, Hashable, Sendable {
        /// The invitations, newest first.
        public var invitations: [Invitation]
        /// Where this page stands.
        public var pagination: Pagination
        /// `page_token` of the next page. Empty: this is the last one.
        public var nextPageToken: String

        public init(invitations: [Invitation] = [], pagination: Pagination = Pagination(), nextPageToken: String = "") {
            self.invitations = invitations
            self.pagination = pagination
            self.nextPageToken = nextPageToken
        }

        enum CodingKeys: String, CodingKey {
            case invitations
            case pagination
            case nextPageToken = "next_page_token"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.invitations = try members.decodeIfPresent([Invitation].self, forKey: .invitations) ?? []
            self.pagination = try members.decodeIfPresent(Pagination.self, forKey: .pagination) ?? Pagination()
            self.nextPageToken = try members.decodeIfPresent(String.self, forKey: .nextPageToken) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.invitations, forKey: .invitations, unless: [])
            try members.encode(self.pagination, forKey: .pagination, unless: Pagination())
            try members.encode(self.nextPageToken, forKey: .nextPageToken, unless: "")
        }
    }

    /// RevokeInvitationRequest names an invitation.
    public struct RevokeInvitationRequest: Codable, Hashable, Sendable {
        /// Identifier of the invitation. Required.
        public var invitationID: String

        public init(invitationID: String) {
            self.invitationID = invitationID
        }

        enum CodingKeys: String, CodingKey {
            case invitationID = "invitation_id"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.invitationID = try members.decodeIfPresent(String.self, forKey: .invitationID) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.invitationID, forKey: .invitationID, unless: "")
        }
    }

    /// RevokeInvitationResponse holds the invitation.
    public struct RevokeInvitationResponse: Codable, Hashable, Sendable {
        /// The invitation after the change.
        public var result: Invitation

        public init(result: Invitation = Invitation()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Invitation.self, forKey: .result) ?? Invitation()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Invitation())
        }
    }

    /// PreviewInvitationRequest holds the token of an invitation.
    public struct PreviewInvitationRequest: Codable, Hashable, Sendable, CustomReflectable {
        /// The token, as CreateInvitation returned it. Required.
        public var token: String

        public init(token: String) {
            self.token = token
        }

        enum CodingKeys: String, CodingKey {
            case token
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.token = try members.decodeIfPresent(String.self, forKey: .token) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.token, forKey: .token, unless: "")
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "token": redacted(self.token),
                ],
                displayStyle: .struct
            )
        }
    }

    /// PreviewInvitationResponse holds what the invitation offers.
    public struct PreviewInvitationResponse: Codable, Hashable, Sendable {
        /// The offer.
        public var result: InvitationOffer

        public init(result: InvitationOffer = InvitationOffer()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(InvitationOffer.self, forKey: .result) ?? InvitationOffer()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: InvitationOffer())
        }
    }

    /// AcceptInvitationRequest holds the token of an invitation.
    public struct AcceptInvitationRequest: Codable, Hashable, Sendable, CustomReflectable {
        /// The token, as CreateInvitation returned it. Required.
        public var token: String

        public init(token: String) {
            self.token = token
        }

        enum CodingKeys: String, CodingKey {
            case token
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.token = try members.decodeIfPresent(String.self, forKey: .token) ?? ""
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.token, forKey: .token, unless: "")
        }

        public var customMirror: Mirror {
            Mirror(
                self,
                children: [
                    "token": redacted(self.token),
                ],
                displayStyle: .struct
            )
        }
    }

    /// AcceptInvitationResponse holds the organization.
    public struct AcceptInvitationResponse: Codable, Hashable, Sendable {
        /// The organization that the caller is a member of now.
        public var result: Organization

        public init(result: Organization = Organization()) {
            self.result = result
        }

        enum CodingKeys: String, CodingKey {
            case result
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.result = try members.decodeIfPresent(Organization.self, forKey: .result) ?? Organization()
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.result, forKey: .result, unless: Organization())
        }
    }

    /// OrgService manages organizations, their members and invitations to them.
    ///
    /// A member is a user, by issuer and identifier, with a role. The organization of a call is the one that owns the
    /// caller's tenant; list, switch and the acceptance of an invitation need no tenant.
    public struct OrgService: Sendable {
        let caller: HTTPCaller

        /// CreateOrg creates an organization with a tenant of its own and records the caller as its owner.
        ///
        /// Callers: dashboard users, also those whose token names no tenant yet. Where the identity provider's own
        /// organizations are the tenants, it is a failed precondition. The new organization becomes the caller's current one.
        /// With `client_org_id` the call can be repeated safely.
        ///
        /// - Parameters:
        ///   - name: Name, 1 to 128 characters, at least one of them visible. Required.
        ///   - clientOrgID: Your own name for this organization, so that the call can be repeated without a second one. Up to
        ///     128 characters, unique for each user for ever. The same call returns the first one's organization; another name
        ///     is a failed precondition. Default empty: each call creates one.
        public func createOrg(name: String, clientOrgID: String = "") async throws -> CreateOrgResponse {
            try await createOrg(CreateOrgRequest(name: name, clientOrgID: clientOrgID))
        }

        /// CreateOrg, with a request that was made before.
        public func createOrg(_ request: CreateOrgRequest) async throws -> CreateOrgResponse {
            try await caller.call("/api/v1/orgs/create", request, isRepeatable: !request.clientOrgID.isEmpty)
        }

        /// ListOrgs lists the organizations that the caller is a member of, in the order of their names.
        ///
        /// - Parameters:
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of organizations in the answer. Default 0: 20. Above 100: 100.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        public func listOrgs(page: Int = 0, perPage: Int = 0, pageToken: String = "") async throws -> ListOrgsResponse {
            try await listOrgs(ListOrgsRequest(page: page, perPage: perPage, pageToken: pageToken))
        }

        /// ListOrgs, with a request that was made before.
        public func listOrgs(_ request: ListOrgsRequest) async throws -> ListOrgsResponse {
            try await caller.call("/api/v1/orgs/list", request, isRepeatable: true)
        }

        /// GetOrg reads the organization of the caller's tenant.
        ///
        /// A dashboard user needs `org:read`.
        public func getOrg() async throws -> GetOrgResponse {
            try await getOrg(GetOrgRequest())
        }

        /// GetOrg, with a request that was made before.
        public func getOrg(_ request: GetOrgRequest) async throws -> GetOrgResponse {
            try await caller.call("/api/v1/orgs/get", request, isRepeatable: true)
        }

        /// UpdateOrg renames the organization of the caller's tenant.
        ///
        /// A dashboard user needs `org:write`.
        ///
        /// - Parameters:
        ///   - name: New name, 1 to 128 characters, at least one of them visible. Required.
        public func updateOrg(name: String) async throws -> UpdateOrgResponse {
            try await updateOrg(UpdateOrgRequest(name: name))
        }

        /// UpdateOrg, with a request that was made before.
        public func updateOrg(_ request: UpdateOrgRequest) async throws -> UpdateOrgResponse {
            try await caller.call("/api/v1/orgs/update", request, isRepeatable: false)
        }

        /// SwitchOrg makes one of the caller's organizations the current one: the next token has its tenant.
        ///
        /// - Parameters:
        ///   - orgID: Identifier of one of the caller's organizations. Required.
        public func switchOrg(orgID: String) async throws -> SwitchOrgResponse {
            try await switchOrg(SwitchOrgRequest(orgID: orgID))
        }

        /// SwitchOrg, with a request that was made before.
        public func switchOrg(_ request: SwitchOrgRequest) async throws -> SwitchOrgResponse {
            try await caller.call("/api/v1/orgs/switch", request, isRepeatable: false)
        }

        /// ListMembers lists the members of the caller's organization, the oldest first.
        ///
        /// A dashboard user needs `org:read`.
        ///
        /// - Parameters:
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of members in the answer. Default 0: 20. Above 100: 100.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        public func listMembers(page: Int = 0, perPage: Int = 0, pageToken: String = "") async throws -> ListMembersResponse {
            try await listMembers(ListMembersRequest(page: page, perPage: perPage, pageToken: pageToken))
        }

        /// ListMembers, with a request that was made before.
        public func listMembers(_ request: ListMembersRequest) async throws -> ListMembersResponse {
            try await caller.call("/api/v1/orgs/members/list", request, isRepeatable: true)
        }

        /// SetMemberRole changes a member's role. The last owner keeps theirs: make another member owner first.
        ///
        /// Callers cannot give a role with scopes that they do not have. Where the roles of users are in their tokens, the new
        /// one binds with the member's next token, as `warning` then says.
        ///
        /// A dashboard user needs `org:write`.
        ///
        /// - Parameters:
        ///   - userID: Identifier of the user. Required.
        ///   - issuer: Issuer of the user's tokens. Default empty: the caller's own.
        ///   - role: New role: built in, or one of the operator's. Required.
        public func setMemberRole(userID: String, issuer: String = "", role: String) async throws -> SetMemberRoleResponse {
            try await setMemberRole(SetMemberRoleRequest(userID: userID, issuer: issuer, role: role))
        }

        /// SetMemberRole, with a request that was made before.
        public func setMemberRole(_ request: SetMemberRoleRequest) async throws -> SetMemberRoleResponse {
            try await caller.call("/api/v1/orgs/members/set-role", request, isRepeatable: false)
        }

        /// RemoveMember removes a member, who is refused on every replica before the answer is sent, whatever their token says.
        ///
        /// The invitations that they have made end with their membership. The last owner cannot be removed: make another member
        /// owner first.
        ///
        /// A dashboard user needs `org:write`.
        ///
        /// - Parameters:
        ///   - userID: Identifier of the user. Required.
        ///   - issuer: Issuer of the user's tokens. Default empty: the caller's own.
        public func removeMember(userID: String, issuer: String = "") async throws -> RemoveMemberResponse {
            try await removeMember(RemoveMemberRequest(userID: userID, issuer: issuer))
        }

        /// RemoveMember, with a request that was made before.
        public func removeMember(_ request: RemoveMemberRequest) async throws -> RemoveMemberResponse {
            try await caller.call("/api/v1/orgs/members/remove", request, isRepeatable: false)
        }

        /// CreateInvitation invites a user by email address, for 7 days.
        ///
        /// The response holds the invitation's token, once; only its hash is stored. Callers cannot invite to a role with
        /// scopes that they do not have. The invitation ends with the caller's membership, and when their role no longer grants
        /// its role.
        ///
        /// A dashboard user needs `org:write`.
        ///
        /// - Parameters:
        ///   - email: Email address, 3 to 254 characters. Upper and lower case of the letters A to Z do not matter. Required.
        ///   - role: Role that the new member gets. Default empty: `viewer`.
        ///   - clientRequestID: Your own name for this call, so that it can be repeated without a second invitation. Up to 128
        ///     characters, unique for each caller for 24 hours. The same call within that time returns the first one's
        ///     invitation, without its token; another one is `client_request_id_reused`. Default empty: each call makes an
        ///     invitation.
        public func createInvitation(
            email: String,
            role: String = "",
            clientRequestID: String = ""
        ) async throws -> CreateInvitationResponse {
            try await createInvitation(CreateInvitationRequest(email: email, role: role, clientRequestID: clientRequestID))
        }

        /// CreateInvitation, with a request that was made before.
        public func createInvitation(_ request: CreateInvitationRequest) async throws -> CreateInvitationResponse {
            let response: CreateInvitationResponse = try await caller.call("/api/v1/orgs/invitations/create", named(request, \.clientRequestID), isRepeatable: true)
            if request.clientRequestID.isEmpty, response.alreadyCreated == true { throw LatchkeyError.secretLost(of: response.result.invitationID) }
            return response
        }

        /// ListInvitations lists the invitations of the caller's organization of every status, newest first.
        ///
        /// A dashboard user needs `org:read`.
        ///
        /// - Parameters:
        ///   - page: Page, from 1. Default 0: the first.
        ///   - perPage: Maximum number of invitations in the answer. Default 0: 20. Above 100: 100.
        ///   - pageToken: `next_page_token` of the response before, in place of `page`. Default: the page that `page` names.
        ///     The other members must be those of the request before; `per_page` may be left out.
        public func listInvitations(
            page: Int = 0,
            perPage: Int = 0,
            pageToken: String = ""
        ) async throws -> ListInvitationsResponse {
            try await listInvitations(ListInvitationsRequest(page: page, perPage: perPage, pageToken: pageToken))
        }

        /// ListInvitations, with a request that was made before.
        public func listInvitations(_ request: ListInvitationsRequest) async throws -> ListInvitationsResponse {
            try await caller.call("/api/v1/orgs/invitations/list", request, isRepeatable: true)
        }

        /// RevokeInvitation ends an invitation. Revoking again is harmless; an accepted one cannot be revoked.
        ///
        /// A dashboard user needs `org:write`.
        ///
        /// - Parameters:
        ///   - invitationID: Identifier of the invitation. Required.
        public func revokeInvitation(invitationID: String) async throws -> RevokeInvitationResponse {
            try await revokeInvitation(RevokeInvitationRequest(invitationID: invitationID))
        }

        /// RevokeInvitation, with a request that was made before.
        public func revokeInvitation(_ request: RevokeInvitationRequest) async throws -> RevokeInvitationResponse {
            try await caller.call("/api/v1/orgs/invitations/revoke", request, isRepeatable: false)
        }

        /// PreviewInvitation says to what an invitation invites, by whom and as what, so that it can be read before it is
        /// accepted.
        ///
        /// It returns the same errors as AcceptInvitation. In particular, a user whose token has another email address learns
        /// nothing of the invitation.
        ///
        /// - Parameters:
        ///   - token: The token, as CreateInvitation returned it. Required.
        public func previewInvitation(token: String) async throws -> PreviewInvitationResponse {
            try await previewInvitation(PreviewInvitationRequest(token: token))
        }

        /// PreviewInvitation, with a request that was made before.
        public func previewInvitation(_ request: PreviewInvitationRequest) async throws -> PreviewInvitationResponse {
            try await caller.call("/api/v1/orgs/invitations/preview", request, isRepeatable: true)
        }

        /// AcceptInvitation makes the caller a member, and the organization their current one. It can be done once.
        ///
        /// The caller's token must have the email address of the invitation in `email`, and `email_verified` true. Addresses
        /// are compared byte by byte, except that the case of the letters A to Z is ignored. A user who was removed before may
        /// call with a token that still names the tenant.
        ///
        /// - Parameters:
        ///   - token: The token, as CreateInvitation returned it. Required.
        public func acceptInvitation(token: String) async throws -> AcceptInvitationResponse {
            try await acceptInvitation(AcceptInvitationRequest(token: token))
        }

        /// AcceptInvitation, with a request that was made before.
        public func acceptInvitation(_ request: AcceptInvitationRequest) async throws -> AcceptInvitationResponse {
            try await caller.call("/api/v1/orgs/invitations/accept", request, isRepeatable: false)
        }
    }
}
