@preconcurrency import Glibc

/// The signal that has come while a body cleans up after itself; 0 for none. Each program has one
/// thread, and the handler does nothing else.
nonisolated(unsafe) private var endSignal: sig_atomic_t = 0
nonisolated(unsafe) private var isCleaningUp = false

/// True once a signal has asked the program to end, and a body is about to clean up.
var isAskedToEnd: Bool { endSignal != 0 }

/// Runs a body that would leave half-written files behind if a signal ended the program in its
/// middle. At Ctrl-C, SIGTERM and SIGHUP the body gets a fault from `refuseIfAskedToEnd(_:)`, and
/// cleans up as after any other. Then the program ends with the exit status that shells give a
/// program ended by that signal. The second signal ends the program at once, because a file may
/// be one that nobody reads.
public func cleaningUp<Value>(
  _ body: () throws(Fault) -> Value
) throws(Fault) -> Value {
  guard !isCleaningUp else { return try body() }
  isCleaningUp = true
  let signals = [SIGINT, SIGTERM, SIGHUP].filter(takeSignal)
  defer {
    for each in signals { signal(each, SIG_DFL) }
    isCleaningUp = false
  }
  do throws(Fault) {
    let value = try body()
    exitIfAskedToEnd()
    return value
  } catch {
    exitIfAskedToEnd()
    throw error
  }
}

/// - Throws: `Fault` if the program has been asked to end.
public func refuseIfAskedToEnd(_ operation: @autoclosure () -> String) throws(Fault) {
  if isAskedToEnd { throw Fault(operation(), errno: EINTR) }
}

/// Leaves a signal alone that is ignored, as by nohup(1), or that has a handler.
/// - Returns: true if it was taken.
private func takeSignal(_ signal: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(signal, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else {
    return false
  }
  action.__sigaction_handler.sa_handler = { endSignal = $0 }
  // Without SA_RESTART, a write that waits for a reader ends.
  action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
  return sigaction(signal, &action, nil) == 0
}

private func exitIfAskedToEnd() {
  if isAskedToEnd { exit(128 + endSignal) }
}
