import Horology

extension Status {
  /// A timer or an alarm, as it is seen from outside.
  public protocol Numbered {
    /// As in `timer`.
    static var kind: String { get }
    var number: UInt32 { get }
    /// Empty for none.
    var name: String { get }
  }
}

extension Status.Numbered {
  /// As in `2` or `2 "tea"`.
  public var numberAndName: String {
    Horology.numberAndName(Int(number), name.isEmpty ? nil : name)
  }

  /// As in `timer 2` or `timer "tea"`.
  public var title: String {
    titleOfNumbered(Self.kind, Int(number), name.isEmpty ? nil : name)
  }
}
