import Basics
@preconcurrency import Glibc

func requireTerminal(for command: String) throws(Misuse) {
  guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
    throw Misuse(description: "\(command) needs a terminal, for it asks questions; run it in one")
  }
}

struct Ended: Error {}

func readAnswer() throws -> String {
  guard let line = readLine() else {
    try say("")
    throw Ended()
  }
  let words = line.split(whereSeparator: \.isWhitespace)
  if words == ["q"] { throw Ended() }
  return words.joined(separator: " ")
}

/// Asks until the answer can be used.
/// - Parameters:
///   - usual: the answer that Return stands for. It is what is set already, so it is not checked.
///   - check: throws why an answer cannot be used.
func ask(
  _ question: String, _ usual: String, _ check: (String) throws -> Void = { _ in }
) throws -> String {
  while true {
    fputs("\(question) [\(usual)] ".printable, stdout)
    try flushOutput()
    let answer = try readAnswer()
    if answer.isEmpty || answer == usual { return usual }
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
    switch try ask("\(question) y or n", usual ? "y" : "n").lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default: continue
    }
  }
}
