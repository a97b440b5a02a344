/// Complex numbers, computed only with sums, differences, products, quotients and square roots,
/// which IEEE 754 rounds the same on every machine. The C library's sin, cos and exp differ in the
/// last bit between versions and processors, and a bell's million frames build on that bit.
struct Complex {
  var real: Double
  var imaginary: Double

  init(_ real: Double, _ imaginary: Double = 0) {
    self.real = real
    self.imaginary = imaginary
  }

  static func + (a: Complex, b: Complex) -> Complex {
    Complex(a.real + b.real, a.imaginary + b.imaginary)
  }

  static func - (a: Complex, b: Complex) -> Complex {
    Complex(a.real - b.real, a.imaginary - b.imaginary)
  }

  static func * (a: Complex, b: Complex) -> Complex {
    Complex(
      a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real)
  }

  static func / (a: Complex, b: Complex) -> Complex {
    let square = b.real * b.real + b.imaginary * b.imaginary
    let product = a * Complex(b.real, -b.imaginary)
    return Complex(product.real / square, product.imaginary / square)
  }

  var magnitude: Double { (real * real + imaginary * imaginary).squareRoot() }

  /// e to this power, by scaling and squaring: the Taylor series of a power so small that twelve
  /// terms are exact to the last bit, squared as often as the power was halved (Moler and
  /// Van Loan, Nineteen dubious ways to compute the exponential of a matrix, method 3).
  /// - Returns: with a relative error of about 1e-14 for powers up to 100.
  var exponential: Complex {
    var power = self
    var halvings = 0
    while power.real.magnitude + power.imaginary.magnitude > 1.0 / 16 {
      power = Complex(power.real * 0.5, power.imaginary * 0.5)
      halvings += 1
    }
    var result = Complex(1)
    for term in stride(from: 12.0, to: 0, by: -1) {
      let product = power * result
      result = Complex(1 + product.real / term, product.imaginary / term)
    }
    for _ in 0..<halvings { result = result * result }
    return result
  }

  /// The point of the unit circle at `angle` radians.
  static func onUnitCircle(_ angle: Double) -> Complex { Complex(0, angle).exponential }
}

/// The amplitude that is `level` decibels over 1.
func amplitude(decibels level: Double) -> Double {
  Complex(level * (naturalLogarithmOf10 / 20)).exponential.real
}

/// The factor per frame with which a sound falls by 60 dB in `seconds`.
func decayFactor(t60 seconds: Double, rate: Double) -> Double {
  Complex(decayExponent(t60: seconds, rate: rate)).exponential.real
}

/// The natural logarithm of `decayFactor(t60:rate:)`.
func decayExponent(t60 seconds: Double, rate: Double) -> Double {
  -3 * naturalLogarithmOf10 / (seconds * rate)
}

private let naturalLogarithmOf10 = 2.302585092994045684
