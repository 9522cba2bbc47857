import Connect
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Follows no redirect: `URLSessionHTTPClient` would send the key and the token to its target, whose answer would count.
final class Transport: NSObject, HTTPClientInterface, URLSessionTaskDelegate, Sendable {
    private static let session = URLSession(configuration: .ephemeral, delegate: Transport(), delegateQueue: nil)

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func unary(
        request: HTTPRequest<Data?>, onMetrics: @escaping @Sendable (HTTPMetrics) -> Void,
        onResponse: @escaping @Sendable (HTTPResponse) -> Void
    ) -> Cancelable {
        var http = URLRequest(url: request.url)
        http.httpMethod = request.method.rawValue
        http.httpBody = request.message
        http.httpShouldHandleCookies = false
        for (name, values) in request.headers { http.setValue(values.joined(separator: ","), forHTTPHeaderField: name) }
        let task = Self.session.dataTask(with: http) { data, response, error in
            guard let response = response as? HTTPURLResponse else {
                let code: Code = (error as? URLError)?.code == .cancelled ? .canceled : .unavailable
                let failure = ConnectError(code: code, message: error?.localizedDescription, exception: error)
                return onResponse(HTTPResponse(code: code, headers: [:], message: nil, trailers: [:], error: failure, tracingInfo: nil))
            }
            let headers = response.allHeaderFields.reduce(into: Headers()) { headers, field in
                headers["\(field.key)".lowercased()] = ["\(field.value)"]
            }
            onResponse(HTTPResponse(
                code: .fromHTTPStatus(response.statusCode), headers: headers, message: data, trailers: [:], error: nil,
                tracingInfo: .init(httpStatus: response.statusCode)
            ))
        }
        task.resume()
        return Cancelable { task.cancel() }
    }

    /// No call of Latchkey's streams.
    func stream(request: HTTPRequest<Data?>, responseCallbacks: ResponseCallbacks) -> RequestCallbacks<Data> {
        responseCallbacks.receiveClose(.unimplemented, [:], nil)
        return RequestCallbacks(cancel: {}, sendData: { _ in }, sendClose: {})
    }
}
