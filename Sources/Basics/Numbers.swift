@preconcurrency import Glibc

extension Double {
  /// The number rounded to `decimals` decimals. `inf` or `-inf` if its magnitude is 1e9 or more;
  /// `inf` if it is not a number.
  /// - Parameter rule: `.up` for a number over a limit that is told with it, and `.down` for one
  ///   under it, so that the two never look equal.
  public func text(
    decimals: Int, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) -> String {
    let scale = pow(10, Double(decimals))
    guard magnitude < 1e9 else { return self < 0 ? "-inf" : "inf" }
    let rounded = Int((self * scale).rounded(rule))
    let fraction = String(rounded.magnitude % UInt(scale))
    let whole = "\(rounded < 0 ? "-" : "")\(rounded.magnitude / UInt(scale))"
    if decimals == 0 { return whole }
    return "\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }
}
