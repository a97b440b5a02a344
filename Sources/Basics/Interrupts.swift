@preconcurrency import Glibc

/// Calls `body` until it is not interrupted by a signal, as TEMP_FAILURE_RETRY of glibc does. A
/// signal that asks the program to end is not ignored while files are cleaned up.
/// - Parameter operation: what is attempted, for the error.
/// - Returns: what `body` returned, when that is not -1.
@discardableResult
public func retryingInterrupts<Result: FixedWidthInteger>(
  _ operation: @autoclosure () -> String, _ body: () -> Result
) throws(Fault) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    if errno != EINTR || isAskedToEnd { throw Fault(operation(), errno: errno) }
  }
}
