import Basics
@preconcurrency import Glibc

/// - Throws: `Misuse` if nobody can answer.
func requireTerminal(for command: String) throws(Misuse) {
  guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
    throw Misuse(description: "\(command) needs a terminal, for it asks questions; run it in one")
  }
}

/// The person has ended the questions.
struct Ended: Error {}

/// - Parameter usual: the answer that Return stands for.
func ask(_ question: String, _ usual: String) throws -> String {
  fputs("\(question) [\(usual)] ".printable, stdout)
  try flushOutput()
  let answer = try readAnswer()
  return answer.isEmpty ? usual : answer
}

/// The next line without the white space around it.
func readAnswer() throws -> String {
  guard let line = readLine() else {
    try say("")
    throw Ended()
  }
  let words = line.split(whereSeparator: \.isWhitespace)
  if words == ["q"] { throw Ended() }
  return words.joined(separator: " ")
}

/// Asks until the answer can be used. The usual answer is what is set already, so it is not checked.
/// - Parameter check: throws why an answer cannot be used.
func ask(
  _ question: String, _ usual: String, _ check: (String) throws -> Void
) throws -> String {
  while true {
    let answer = try ask(question, usual)
    if answer == usual { return answer }
    do {
      try check(answer)
      return answer
    } catch {
      try say("  \(error)")
    }
  }
}

func askYes(_ question: String, usually usual: Bool) throws -> Bool {
  while true {
    switch try ask("\(question) y or n", usual ? "y" : "n") {
    case "y", "yes", "Y": return true
    case "n", "no", "N": return false
    default: continue
    }
  }
}
