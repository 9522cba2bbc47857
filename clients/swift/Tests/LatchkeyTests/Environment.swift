import Foundation
import Latchkey
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What `npm run test:peers` gives: a running service, credentials of each kind of caller, and a server that goes wrong.
enum Environment {
    static var url: String { value("URL") }
    static var key: String { value("KEY") }
    static var publishableKey: String { value("PUBLISHABLE_KEY") }
    static var userToken: String { value("USER_TOKEN") }
    static var expiredToken: String { value("EXPIRED_TOKEN") }
    static var expiredAccessToken: String { value("EXPIRED_ACCESS_TOKEN") }
    static var invitation: String { value("INVITATION") }
    static var invitedToken: String { value("INVITED_TOKEN") }
    static var dashboardToken: String { value("TOKEN") }
    static var denials: [String] { value("DENIALS").split(separator: ",").map(String.init) }

    private static func value(_ name: String) -> String {
        guard let value = ProcessInfo.processInfo.environment["LATCHKEY_\(name)"], !value.isEmpty else {
            fatalError("LATCHKEY_\(name) is not set: run npm run test:peers -- swift in the root of the repository")
        }
        return value
    }

    /// A base URL at which the service goes wrong in one way, and what was received there.
    struct Fault {
        let baseURL: String
        private let id = UUID().uuidString

        init(_ name: String, _ arguments: String...) {
            baseURL = ([value("FAULTS"), name, id] + arguments).joined(separator: "/")
        }

        /// The headers of each request, with names in lower case.
        func requests() async throws -> [[String: String]] {
            guard let url = URL(string: "\(value("FAULTS"))/requests/\(id)") else { return [] }
            let (data, _) = try await URLSession.shared.data(from: url)
            return try JSONDecoder().decode([[String: String]].self, from: data)
        }
    }
}

func secretKeyClient(_ baseURL: String = Environment.url, retry: Retry = Retry(), timeout: TimeInterval = 60) throws -> LatchkeyClient {
    try LatchkeyClient(baseURL: baseURL, credentials: .secretKey(Environment.key), timeout: timeout, retry: retry)
}

func dashboardClient(_ baseURL: String = Environment.url) throws -> LatchkeyClient {
    let token = Environment.dashboardToken
    return try LatchkeyClient(baseURL: baseURL, credentials: .userToken { _ in token })
}

/// Waits for a condition that no event announces.
func waitUntil(_ isMet: () async throws -> Bool) async throws {
    while try await !isMet() { try await Task.sleep(nanoseconds: 20_000_000) }
}

/// What printing, reflection and `dump` show of a value.
func printed(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \([value]) \(dumped)"
}

/// The error that a call must fail with.
func failure(
    file: StaticString = #filePath, line: UInt = #line, of call: () async throws -> some Any
) async throws -> LatchkeyError {
    do {
        _ = try await call()
    } catch let error as LatchkeyError {
        return error
    }
    XCTFail("the call did not fail", file: file, line: line)
    throw CancellationError()
}

/// Counts from tasks of all kinds.
actor Counter {
    private(set) var count = 0

    @discardableResult
    func next() -> Int {
        count += 1
        return count
    }
}
