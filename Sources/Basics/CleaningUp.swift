@preconcurrency import Glibc

/// The signal that has come while a body cleans up after itself; 0 for none. Each program has one
/// thread.
nonisolated(unsafe) private var endSignal: sig_atomic_t = 0
/// The signals that have the handler: for signal 2, the bit `1 << 2`.
nonisolated(unsafe) private var takenSignals: sig_atomic_t = 0
nonisolated(unsafe) private var isCleaningUp = false

/// True once a signal has asked the program to end, and a body is about to clean up.
var isAskedToEnd: Bool { endSignal != 0 }

/// Runs a body that would leave half-written files behind if a signal ended the program in its
/// middle. At Ctrl-C, SIGTERM and SIGHUP the body gets a fault from `refuseIfAskedToEnd(_:)`, and
/// cleans up as after any other. Then that signal ends the program: a loop in bash stops at Ctrl-C
/// only if SIGINT has ended the program. A second signal, the same or another, ends the program at
/// once, because writing to a pipe without a reader would wait for ever.
public func cleaningUp<Value>(
  _ body: () throws(Fault) -> Value
) throws(Fault) -> Value {
  guard !isCleaningUp else { return try body() }
  isCleaningUp = true
  for each in [SIGINT, SIGTERM, SIGHUP] { takeSignal(each) }
  defer {
    // In this order, a signal between the two is not lost.
    releaseSignals()
    endIfAskedToEnd()
    takenSignals = 0
    isCleaningUp = false
  }
  return try body()
}

/// - Throws: `Fault` if the program has been asked to end.
public func refuseIfAskedToEnd(_ operation: @autoclosure () -> String) throws(Fault) {
  if isAskedToEnd { throw Fault(operation(), errno: EINTR) }
}

/// Gives a signal the handler. Leaves one alone that is ignored, as by nohup(1), or that has
/// another handler.
private func takeSignal(_ signal: Int32) {
  var action = sigaction()
  guard sigaction(signal, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else {
    return
  }
  action.__sigaction_handler.sa_handler = {
    endSignal = $0
    releaseSignals()
  }
  // Without SA_RESTART, a write that waits for a reader ends.
  action.sa_flags = 0
  takenSignals |= 1 << signal
  sigaction(signal, &action, nil)
}

/// Lets the signals that were taken end the program again. The handler calls it, so it must not
/// allocate.
private func releaseSignals() {
  for each in SIGHUP...SIGTERM where takenSignals & 1 << each != 0 { signal(each, SIG_DFL) }
}

private func endIfAskedToEnd() {
  guard isAskedToEnd else { return }
  fflush(nil)
  raise(endSignal)
  // As the first process of a container, the program survives the signal.
  exit(128 + endSignal)
}
