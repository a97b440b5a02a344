@preconcurrency import Glibc

extension Double {
  /// The number rounded to `decimals` decimals. `inf` or `-inf` if its magnitude is 1e9 or more;
  /// `inf` if it is not a number.
  public func text(decimals: Int) -> String {
    let scale = pow(10, Double(decimals))
    guard magnitude < 1e9 else { return self < 0 ? "-inf" : "inf" }
    let rounded = Int((magnitude * scale).rounded())
    let fraction = String(rounded % Int(scale))
    let whole = "\(self < 0 && rounded > 0 ? "-" : "")\(rounded / Int(scale))"
    if decimals == 0 { return whole }
    return "\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }
}
