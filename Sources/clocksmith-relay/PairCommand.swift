import Basics
import Glibc
import Horology
import Relay

let pairCommand = Subcommand(
  name: "pair", operands: "[list|remove NUMBER]", mostOperands: 2,
  summary: "pair a phone, list and remove the phones that may act",
  details: """
    Waits a minute for a phone whose page asks to be paired, shows its name, its address and two
    words, and asks whether it may act from now on. Compare the words with those on the phone. Who
    stands at the clock can hold its button for a second instead. 'list' lists the paired phones with
    their numbers, and 'remove' ends the pairing of one. The register is in /var/lib/clocksmith-relay
    and belongs to the service, so run it as root.
    """,
  options: [jsonOption]
) { arguments in
  let operands = arguments.operands
  switch (operands.first, operands.count) {
  case (nil, _):
    try arguments.refuse(allBut: [], of: "'pair'")
    let phone = try Register.use { register throws(Fault) in try pair(register) }
    guard let phone else { return ExitStatus.failed }
    try tellDone("paired phone \(phone.number), \"\(phone.name)\"", "it is paired")
  case ("list", 1):
    try arguments.refuse(allBut: ["json"], of: "'pair list'")
    for phone in try Register.use({ register throws(Fault) in try register.phones() }) {
      try say(arguments.has("json") ? phone.record.json : phone.line)
    }
  case ("remove", 2):
    try arguments.refuse(allBut: [], of: "'pair remove'")
    guard let number = Int64(operands[1]),
      try Register.use({ register throws(Fault) in try register.remove(phone: number) })
    else { throw Fault("no phone has the number \(operands[1].excerpt)", "see 'pair list'") }
    try tellDone("removed 1 phone", "it is removed")
  default:
    throw Misuse(
      description: "write 'pair' alone, 'pair list' or 'pair remove NUMBER'; "
        + "see 'clocksmith-relay pair --help'")
  }
  return ExitStatus.done
}

/// - Returns: nil if the person does not want it.
private func pair(_ register: Register) throws(Fault) -> Phone? {
  var pairing = try register.pairing()
  if pairing == nil {
    try say("open the page of the clock on the phone, and ask there to be paired")
    try flushOutput()
  }
  // A minute, five times a second.
  for _ in 0..<300 where pairing == nil {
    usleep(200_000)
    pairing = try register.pairing()
  }
  guard let pairing else {
    throw Fault(
      "no phone has asked within a minute",
      "the page is served if 'face = yes' or 'face = paired' is set under [http], and "
        + "'systemctl status clocksmith-relay' says that it runs")
  }
  try say("\"\(pairing.name)\" at \(pairing.address) shows the words: \(pairing.words)")
  try say("may it act from now on? [y/N]")
  try flushOutput()
  guard ["y", "yes"].contains(readLine()?.lowercased()) else {
    try register.end(cookie: pairing.cookie)
    try say("it is not paired")
    return nil
  }
  guard let phone = try register.confirm(pairing, at: .now) else {
    throw Fault("it is not paired", "its minute is over; ask again on the phone")
  }
  return phone
}

extension Phone {
  /// As in `3  2026-11-22T15:00:00Z  2026-11-23T08:00:00Z  Anna's phone`.
  fileprivate var line: String { "\(number)  \(since.rfc3339)  \(seen.rfc3339)  \(name)" }
}
