/// How a command ended, or until when it waits.
enum CommandOutcome {
  case done
  /// It is kept until its instant is near.
  case waits(until: UTCTime)
  case refused(Rejection)
}
