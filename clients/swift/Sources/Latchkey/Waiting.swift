import Foundation

/// The result of `work`, or `CancellationError` as soon as the caller's own task is cancelled, even if `work` overlooks that.
func abandonable<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task { try await work() }
    return try await withTaskCancellationHandler {
        try await result(of: task)
    } onCancel: {
        task.cancel()
    }
}

/// The result of `work`, or an error with the code `deadline_exceeded` after so many seconds, when `work` is cancelled.
func limited<Value: Sendable>(
    to seconds: TimeInterval, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(seconds: seconds)
            throw LatchkeyError.deadlineExceeded
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}

/// The task's result, or `CancellationError` as soon as the caller's own task is cancelled. `task` goes on.
func result<Value: Sendable>(of task: Task<Value, any Error>) async throws -> Value {
    let waiter = Waiter<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            waiter.wait(with: continuation)
            Task { waiter.resume(with: await task.result) }
        }
    } onCancel: {
        waiter.resume(with: .failure(CancellationError()))
    }
}

extension Task where Success == Never, Failure == Never {
    static func sleep(seconds: TimeInterval) async throws {
        // Beyond it, the number of nanoseconds has no room.
        try await sleep(nanoseconds: UInt64(min(seconds, 1e9) * 1e9))
    }
}

/// A continuation that is resumed once, by what comes first, be it before it waits.
private final class Waiter<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Value, any Error>?
    private var result: Result<Value, any Error>?

    func wait(with continuation: CheckedContinuation<Value, any Error>) {
        let early: Result<Value, any Error>? = lock.withLock {
            if result == nil { self.continuation = continuation }
            return result
        }
        if let early { continuation.resume(with: early) }
    }

    func resume(with result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = lock.withLock {
            guard self.result == nil else { return nil }
            self.result = result
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(with: result)
    }
}
