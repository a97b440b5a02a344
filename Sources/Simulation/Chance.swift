import Basics

/// Pseudo-random choices, the same for the same seed on every machine.
struct Chance {
  private var numbers: SplitMix64

  init(seed: UInt64) {
    numbers = SplitMix64(seed: seed)
  }

  mutating func below(_ count: Int) -> Int {
    Int(numbers.next() % UInt64(count))
  }

  mutating func between(_ least: Int64, _ most: Int64) -> Int64 {
    least + Int64(numbers.next() % UInt64(most - least + 1))
  }

  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}

extension UInt64 {
  /// A seed made of this one and another number.
  func mixed(with other: UInt64) -> UInt64 {
    var numbers = SplitMix64(seed: self ^ (other &* 0xD6E8_FEB8_6659_FD93))
    return numbers.next()
  }

  func mixed(with name: String) -> UInt64 {
    name.utf8.reduce(self) { $0.mixed(with: UInt64($1)) }
  }
}
