import Basics

extension SplitMix64 {
  /// Uniform from -1 to below 1, with 53 bits.
  public mutating func nextSigned() -> Double {
    Double(Int64(bitPattern: next()) >> 11) * 0x1p-52
  }
}

/// The fault that `body` throws; nil if it throws none, or another error.
public func faultThrown(_ body: () throws -> Void) -> Fault? {
  do {
    try body()
    return nil
  } catch {
    return error as? Fault
  }
}
