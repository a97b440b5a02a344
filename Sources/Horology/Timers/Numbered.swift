/// A timer or an alarm. A person addresses it by its number, or by the name that they gave it.
public protocol Numbered {
  /// From 1.
  var number: Int { get }
  var name: String? { get }
}

extension Countdown: Numbered {}
extension Alarm: Numbered {}

extension Numbered {
  /// As in `2` or `2 "tea"`.
  public var numberAndName: String { Horology.numberAndName(number, name) }
}

/// For arrays that are sorted by number.
extension Array where Element: Numbered {
  /// The index for a new element. Its number, the lowest that is free, is one more.
  var lowestFreePlace: Int {
    enumerated().first { $0.element.number != $0.offset + 1 }?.offset ?? count
  }

  /// Nil if none has that name or number.
  func place(of which: String) -> Int? {
    let number = Int(which).flatMap { String($0) == which ? $0 : nil }
    return firstIndex { $0.name == which || $0.number == number }
  }
}

/// As in `2` or `2 "tea"`.
public func numberAndName(_ number: Int, _ name: String?) -> String {
  name.map { "\(number) \"\($0)\"" } ?? "\(number)"
}

/// As in `timer 2` or `timer "tea"`.
public func titleOfNumbered(_ kind: String, _ number: Int, _ name: String?) -> String {
  name.map { "\(kind) \"\($0)\"" } ?? "\(kind) \(number)"
}
