import Foundation

/// Where Latchkey is, without a slash at the end. The errors do not repeat the value, which may hold a password.
func checkedBaseURL(_ given: String, insecureHTTP: Bool) throws -> String {
    let trimmed = given.trimmingCharacters(in: .whitespacesAndNewlines)
    guard
        let url = URLComponents(string: trimmed), let scheme = url.scheme?.lowercased(), let host = url.host, host != "",
        scheme == "https" || scheme == "http"
    else {
        throw LatchkeyError.argument("baseURL must be a URL that begins with https://, such as https://api.example.com")
    }
    guard url.user == nil, url.password == nil, url.query == nil, url.fragment == nil else {
        throw LatchkeyError.argument(
            "baseURL must be without user name, password, query and fragment, such as https://api.example.com"
        )
    }
    var base = trimmed
    while base.hasSuffix("/") { base.removeLast() }
    guard !base.hasSuffix("/api/v1") else {
        throw LatchkeyError.argument("baseURL must be without /api/v1, such as https://api.example.com")
    }
    guard scheme == "https" || insecureHTTP || isLoopback(host) else {
        throw LatchkeyError.argument(
            "baseURL must begin with https://, since credentials would be sent in the clear; in a private network use insecureHTTP"
        )
    }
    return base
}

private func isLoopback(_ host: String) -> Bool {
    // Foundation has an IPv6 address with its brackets or without them, by its version.
    if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
}
