// Generated from the protos by `npm run generate:swift`. Do not edit.

import Foundation

extension V1 {
    /// Caller is a kind of caller, as the credentials in the request headers make it.
    ///
    /// A later version of the service may have more values: treat an unknown one as such.
    public struct Caller: OpenEnum {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Never valid in a policy: the server refuses to start.
        public static let unspecified = Caller(rawValue: "CALLER_UNSPECIFIED")

        /// A dashboard user: `Authorization: Bearer <USER_JWT>` from the platform's own identity provider.
        public static let dashboardUser = Caller(rawValue: "CALLER_DASHBOARD_USER")

        /// A customer's backend, with only `X-API-Key: sk_...`.
        public static let secretKey = Caller(rawValue: "CALLER_SECRET_KEY")

        /// A client app: `X-API-Key: pk_...` together with `Authorization: Bearer <USER_JWT>` of the app's own user.
        public static let publishableKey = Caller(rawValue: "CALLER_PUBLISHABLE_KEY")

        /// The operator of the service, with only `Authorization: Bearer <OPERATOR_TOKEN>`.
        public static let `operator` = Caller(rawValue: "CALLER_OPERATOR")

        /// Anyone. Alone in a policy: credentials that are sent are not looked at, no limit is spent and no use is counted.
        public static let anyone = Caller(rawValue: "CALLER_ANYONE")
    }
}
