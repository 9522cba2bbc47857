import Foundation

// By hand: the systems' own formatters differ in what they read. Foundation's `.iso8601` takes a fraction of a second in some
// versions only, and every style of theirs depends on the version of the device.

/// An instant as JSON has it (RFC 3339), with a fraction of a second or without: `2030-01-31T12:00:00.25Z`.
func instant(ofRFC3339 text: String) -> Date? {
    var rest = Substring(text)
    guard
        let year = rest.takeDigits(4), rest.take("-"), let month = rest.takeDigits(2), rest.take("-"),
        let day = rest.takeDigits(2), rest.take("T") || rest.take("t"),
        let hour = rest.takeDigits(2), rest.take(":"), let minute = rest.takeDigits(2), rest.take(":"),
        let second = rest.takeDigits(2), let days = daysSince1970(year, month, day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction = 0.0
    if rest.take(".") {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let value = Double("0.\(digits)") else { return nil }
        fraction = value
        rest.removeFirst(digits.count)
    }
    guard let offset = rest.takeOffset(), rest.isEmpty else { return nil }
    return Date(timeIntervalSince1970: Double(seconds(days, hour, minute, second) - offset) + fraction)
}

/// Such an instant, to the millisecond.
func rfc3339(_ instant: Date) -> String {
    let milliseconds = Int64((instant.timeIntervalSince1970 * 1_000).rounded())
    let (days, inDay) = milliseconds.floored(by: 86_400_000)
    let (year, month, day) = dateOf(daysSince1970: days)
    let (seconds, fraction) = inDay.floored(by: 1_000)
    let time = [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
    let tail = fraction == 0 ? "" : ".\(padded(fraction, 3))"
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(time)\(tail)Z"
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers may still send.
func instant(ofHTTPDate text: String) -> Date? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var rest = Substring(text)
    guard
        rest.prefix(3).allSatisfy(\.isLetter), rest.count == 29, rest.dropFirst(3).hasPrefix(", ")
    else { return nil }
    rest = rest.dropFirst(5)
    guard
        let day = rest.takeDigits(2), rest.take(" "), let month = months.firstIndex(of: String(rest.prefix(3)))
    else { return nil }
    rest = rest.dropFirst(3)
    guard
        rest.take(" "), let year = rest.takeDigits(4), rest.take(" "), let hour = rest.takeDigits(2), rest.take(":"),
        let minute = rest.takeDigits(2), rest.take(":"), let second = rest.takeDigits(2), rest == " GMT",
        let days = daysSince1970(year, month + 1, day), hour < 24, minute < 60, second <= 60
    else { return nil }
    return Date(timeIntervalSince1970: Double(seconds(days, hour, minute, second)))
}

private func seconds(_ days: Int64, _ hour: Int, _ minute: Int, _ second: Int) -> Int64 {
    days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
}

/// Days of the Gregorian calendar, whose years are taken to begin in March so that the leap day is the last.
private func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
    guard (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard day <= lengths[month - 1] else { return nil }
    let (era, yearOfEra) = Int64(month <= 2 ? year - 1 : year).floored(by: 400)
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func dateOf(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
}

private func padded(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = (self % divisor + divisor) % divisor
        return ((self - remainder) / divisor, remainder)
    }
}

extension Substring {
    fileprivate mutating func take(_ character: Character) -> Bool {
        guard first == character else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func takeDigits(_ count: Int) -> Int? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        removeFirst(count)
        return Int(digits)
    }

    /// `Z` or `+01:00`, in seconds.
    fileprivate mutating func takeOffset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = takeDigits(2), take(":"), let minutes = takeDigits(2) else { return nil }
        return Int64((hours * 60 + minutes) * 60) * (isEast ? 1 : -1)
    }
}
