/// How a command ended, or until when it waits.
enum CommandOutcome {
  case done
  /// All was as the command wants it.
  case unchanged
  /// It is kept until its instant is near.
  case waits(until: UTCTime)
  case refused(Rejection)
}
