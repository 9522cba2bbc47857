// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// InvitationStatus is the state of an invitation at the moment of the answer.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct InvitationStatus: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never in an answer.
        public static let unspecified = InvitationStatus(rawValue: "INVITATION_STATUS_UNSPECIFIED")

        /// Can be accepted.
        public static let pending = InvitationStatus(rawValue: "INVITATION_STATUS_PENDING")

        /// Was accepted. Final.
        public static let accepted = InvitationStatus(rawValue: "INVITATION_STATUS_ACCEPTED")

        /// Was revoked. Final.
        public static let revoked = InvitationStatus(rawValue: "INVITATION_STATUS_REVOKED")

        /// Past `expires_at`. Final.
        public static let expired = InvitationStatus(rawValue: "INVITATION_STATUS_EXPIRED")

        /// Cannot be accepted, because its creator may no longer grant its role.
        ///
        /// Final if the maker was removed. If their role no longer grants its role, it is pending again with the maker's
        /// old role.
        public static let ended = InvitationStatus(rawValue: "INVITATION_STATUS_ENDED")
    }

    /// Organization is a customer of the platform. It owns one tenant.
    public struct Organization: Codable, Hashable, Sendable {
        /// Identifier of the organization, `org_...`.
        public var orgID: String
        /// Identifier of its tenant, `ten_...`; the identity provider puts it into the tokens of the organization's users.
        public var tenantID: String
        /// Name, 1 to 128 characters.
        public var name: String
        /// When it was created.
        public var createdAt: Date

        public init(
            orgID: String = "",
            tenantID: String = "",
            name: String = "",
            createdAt: Date = Date(timeIntervalSince1970: 0)
        ) {
            self.orgID = orgID
            self.tenantID = tenantID
            self.name = name
            self.createdAt = createdAt
        }

        enum CodingKeys: String, CodingKey {
            case orgID = "org_id"
            case tenantID = "tenant_id"
            case name
            case createdAt = "created_at"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.orgID = try members.decodeIfPresent(String.self, forKey: .orgID) ?? ""
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.orgID, forKey: .orgID, unless: "")
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
        }
    }

    /// Membership is an organization that the caller is a member of.
    public struct Membership: Codable, Hashable, Sendable {
        /// Identifier of the organization, `org_...`.
        public var orgID: String
        /// Identifier of its tenant, `ten_...`.
        public var tenantID: String
        /// Name of the organization.
        public var name: String
        /// The caller's role.
        public var role: String
        /// Whether it is the current organization: the caller's next token names its tenant.
        public var current: Bool

        public init(orgID: String = "", tenantID: String = "", name: String = "", role: String = "", current: Bool = false) {
            self.orgID = orgID
            self.tenantID = tenantID
            self.name = name
            self.role = role
            self.current = current
        }

        enum CodingKeys: String, CodingKey {
            case orgID = "org_id"
            case tenantID = "tenant_id"
            case name
            case role
            case current
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.orgID = try members.decodeIfPresent(String.self, forKey: .orgID) ?? ""
            self.tenantID = try members.decodeIfPresent(String.self, forKey: .tenantID) ?? ""
            self.name = try members.decodeIfPresent(String.self, forKey: .name) ?? ""
            self.role = try members.decodeIfPresent(String.self, forKey: .role) ?? ""
            self.current = try members.decodeIfPresent(Bool.self, forKey: .current) ?? false
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.orgID, forKey: .orgID, unless: "")
            try members.encode(self.tenantID, forKey: .tenantID, unless: "")
            try members.encode(self.name, forKey: .name, unless: "")
            try members.encode(self.role, forKey: .role, unless: "")
            try members.encode(self.current, forKey: .current, unless: false)
        }
    }

    /// Member is a user who belongs to an organization.
    public struct Member: Codable, Hashable, Sendable {
        /// Identifier of the user at their identity provider.
        public var userID: String
        /// Issuer of their tokens.
        public var issuer: String
        /// Their role.
        public var role: String
        /// The address that was invited, or the creator's verified one; empty where the creator's token had no address.
        public var email: String
        /// When they became a member.
        public var createdAt: Date

        public init(
            userID: String = "",
            issuer: String = "",
            role: String = "",
            email: String = "",
            createdAt: Date = Date(timeIntervalSince1970: 0)
        ) {
            self.userID = userID
            self.issuer = issuer
            self.role = role
            self.email = email
            self.createdAt = createdAt
        }

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case issuer
            case role
            case email
            case createdAt = "created_at"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.userID = try members.decodeIfPresent(String.self, forKey: .userID) ?? ""
            self.issuer = try members.decodeIfPresent(String.self, forKey: .issuer) ?? ""
            self.role = try members.decodeIfPresent(String.self, forKey: .role) ?? ""
            self.email = try members.decodeIfPresent(String.self, forKey: .email) ?? ""
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.userID, forKey: .userID, unless: "")
            try members.encode(self.issuer, forKey: .issuer, unless: "")
            try members.encode(self.role, forKey: .role, unless: "")
            try members.encode(self.email, forKey: .email, unless: "")
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
        }
    }

    /// InvitationMaker is the user who has made an invitation.
    public struct InvitationMaker: Codable, Hashable, Sendable {
        /// Identifier of the user at their identity provider.
        public var userID: String
        /// Issuer of their tokens.
        public var issuer: String

        public init(userID: String = "", issuer: String = "") {
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

    /// Invitation is an offer to become a member. Its token is not part of it.
    public struct Invitation: Codable, Hashable, Sendable {
        /// Identifier of the invitation, `ivt_...`.
        public var invitationID: String
        /// Email address of the invited person, with the letters A to Z in lower case.
        public var email: String
        /// Role that the new member gets.
        public var role: String
        /// State at the moment of the answer.
        public var status: InvitationStatus
        /// When it was made.
        public var createdAt: Date
        /// When it ends.
        public var expiresAt: Date
        /// When it was accepted. Absent: it was not.
        public var acceptedAt: Date?
        /// The user who created it. Absent: the user was erased.
        public var createdBy: InvitationMaker?

        public init(
            invitationID: String = "",
            email: String = "",
            role: String = "",
            status: InvitationStatus = .unspecified,
            createdAt: Date = Date(timeIntervalSince1970: 0),
            expiresAt: Date = Date(timeIntervalSince1970: 0),
            acceptedAt: Date? = nil,
            createdBy: InvitationMaker? = nil
        ) {
            self.invitationID = invitationID
            self.email = email
            self.role = role
            self.status = status
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.acceptedAt = acceptedAt
            self.createdBy = createdBy
        }

        enum CodingKeys: String, CodingKey {
            case invitationID = "invitation_id"
            case email
            case role
            case status
            case createdAt = "created_at"
            case expiresAt = "expires_at"
            case acceptedAt = "accepted_at"
            case createdBy = "created_by"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.invitationID = try members.decodeIfPresent(String.self, forKey: .invitationID) ?? ""
            self.email = try members.decodeIfPresent(String.self, forKey: .email) ?? ""
            self.role = try members.decodeIfPresent(String.self, forKey: .role) ?? ""
            self.status = try members.decodeIfPresent(InvitationStatus.self, forKey: .status) ?? .unspecified
            self.createdAt = try members.decodeIfPresent(Date.self, forKey: .createdAt) ?? Date(timeIntervalSince1970: 0)
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt) ?? Date(timeIntervalSince1970: 0)
            self.acceptedAt = try members.decodeIfPresent(Date.self, forKey: .acceptedAt)
            self.createdBy = try members.decodeIfPresent(InvitationMaker.self, forKey: .createdBy)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.invitationID, forKey: .invitationID, unless: "")
            try members.encode(self.email, forKey: .email, unless: "")
            try members.encode(self.role, forKey: .role, unless: "")
            try members.encode(self.status, forKey: .status, unless: .unspecified)
            try members.encode(self.createdAt, forKey: .createdAt, unless: Date(timeIntervalSince1970: 0))
            try members.encode(self.expiresAt, forKey: .expiresAt, unless: Date(timeIntervalSince1970: 0))
            try members.encodeIfPresent(self.acceptedAt, forKey: .acceptedAt)
            try members.encodeIfPresent(self.createdBy, forKey: .createdBy)
        }
    }

    /// InvitationOffer is what an invited person sees of an invitation before they accept it.
    public struct InvitationOffer: Codable, Hashable, Sendable {
        /// Name of the organization.
        public var organizationName: String
        /// Role that the new member gets.
        public var role: String
        /// Email address of the member who has made the invitation. Empty: it is not known.
        public var invitedByEmail: String
        /// When the invitation ends.
        public var expiresAt: Date

        public init(
            organizationName: String = "",
            role: String = "",
            invitedByEmail: String = "",
            expiresAt: Date = Date(timeIntervalSince1970: 0)
        ) {
            self.organizationName = organizationName
            self.role = role
            self.invitedByEmail = invitedByEmail
            self.expiresAt = expiresAt
        }

        enum CodingKeys: String, CodingKey {
            case organizationName = "organization_name"
            case role
            case invitedByEmail = "invited_by_email"
            case expiresAt = "expires_at"
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.organizationName = try members.decodeIfPresent(String.self, forKey: .organizationName) ?? ""
            self.role = try members.decodeIfPresent(String.self, forKey: .role) ?? ""
            self.invitedByEmail = try members.decodeIfPresent(String.self, forKey: .invitedByEmail) ?? ""
            self.expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt) ?? Date(timeIntervalSince1970: 0)
        }

        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(self.organizationName, forKey: .organizationName, unless: "")
            try members.encode(self.role, forKey: .role, unless: "")
            try members.encode(self.invitedByEmail, forKey: .invitedByEmail, unless: "")
            try members.encode(self.expiresAt, forKey: .expiresAt, unless: Date(timeIntervalSince1970: 0))
        }
    }
}
