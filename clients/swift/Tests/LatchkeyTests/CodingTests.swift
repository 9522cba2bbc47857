import Foundation
import XCTest

@testable import Latchkey

final class CodingTests: XCTestCase {
    func testInstantsAreReadWithAFractionOfASecondAndWithout() throws {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2026-11-24T07:32:21.252Z", 1_795_505_541.252),
            ("2026-11-24T07:32:21Z", 1_795_505_541),
            ("2026-11-24t08:32:21.252000001+01:00", 1_795_505_541.252),
            ("2024-02-29T23:59:59.9Z", 1_709_251_199.9),
            ("1969-12-31T23:59:59.5Z", -0.5),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            let read = try JSONDecoder.latchkey().decode([Date].self, from: Data("[\"\(text)\"]".utf8))[0]
            XCTAssertEqual(read.timeIntervalSince1970, seconds, accuracy: 0.000_01, text)
        }
        for text in [
            "", "2026-11-24", "2026-11-24T07:32:21", "2026-13-24T07:32:21Z", "2026-02-29T07:32:21Z", "2026-11-24T07:32:21.Z",
            "2026-11-24T24:00:00Z", "2026-11-24T07:32:21Z ", "+026-11-24T07:32:21Z", "2026-11-24T07:32:21.2\u{0661}Z",
        ] {
            XCTAssertThrowsError(try JSONDecoder.latchkey().decode([Date].self, from: JSONEncoder().encode([text])), text)
        }
    }

    func testInstantsAreWrittenToTheMillisecondAndReadBack() throws {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"), (1_795_505_541.252, "2026-11-24T07:32:21.252Z"),
            (1_709_251_199.9999, "2024-03-01T00:00:00Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        ] {
            XCTAssertEqual(rfc3339(Date(timeIntervalSince1970: seconds)), text)
        }
        for day in stride(from: -719_162.0, to: 2_932_896, by: 377) {
            let date = Date(timeIntervalSince1970: day * 86_400 + 43_210.125)
            XCTAssertEqual(instant(ofRFC3339: rfc3339(date)), date)
        }
    }

    func testRetryAfterIsSecondsOrADate() {
        let now = Date(timeIntervalSince1970: 784_111_777)
        for (value, seconds) in [
            ("0", 0), ("30", 30), ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
        ] as [(String, Double)] {
            XCTAssertEqual(secondsOfRetryAfter(value, now: now), seconds, value)
        }
        for value in [
            "-1", "1.5", "1e1", "5 s", "2026-11-21", "Sat, 99 Nov 2026 10:00:05 GMT", "", "Sun, 06 Nov 1994 08:49:47 CET",
        ] {
            XCTAssertNil(secondsOfRetryAfter(value, now: now), value)
        }
        XCTAssertNil(secondsOfRetryAfter(nil, now: now))
    }

    func testAMemberThatIsMissingOrNullHasItsZero() throws {
        for text in ["{}", #"{"threads": null, "pagination": null, "later": {}}"#] {
            let list = try JSONDecoder.latchkey().decode(V1.ListThreadsResponse.self, from: Data(text.utf8))
            XCTAssertEqual(list, V1.ListThreadsResponse())
        }
    }

    func testARequestHasWhatWasGivenAlone() throws {
        let request = V1.CreateApiKeyRequest(
            name: "x", keyType: .publishable, permissions: ["plans:read"], metadata: ["a": nil], clientRequestID: "1"
        )
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder.latchkey().encode(request))
        XCTAssertEqual(
            json,
            [
                "name": "x", "keyType": "KEY_TYPE_PUBLISHABLE", "permissions": ["plans:read"], "metadata": ["a": nil],
                "client_request_id": "1",
            ]
        )
        XCTAssertEqual(String(decoding: try JSONEncoder.latchkey().encode(V1.ListThreadsRequest()), as: UTF8.self), "{}")
    }

    func testANullThatIsAValueIsKept() throws {
        let text = #"{"old": null, "new": [true, 1.5, "x", {"a": null}]}"#
        let change = try JSONDecoder.latchkey().decode(V1.AuditChange.self, from: Data(text.utf8))
        XCTAssertEqual(change.old, .some(.null))
        XCTAssertEqual(change.new, [true, 1.5, "x", ["a": nil]])
        XCTAssertNil(try JSONDecoder.latchkey().decode(V1.AuditChange.self, from: Data("{}".utf8)).old)
    }

    func testModelsCanBeStoredByAnyCoder() throws {
        let thread = V1.Thread(threadID: "thr_1", messageCount: 2, createdAt: Date(timeIntervalSince1970: 1.5))
        let stored = try JSONEncoder().encode(thread)
        XCTAssertEqual(try JSONDecoder().decode(V1.Thread.self, from: stored), thread)
    }
}
