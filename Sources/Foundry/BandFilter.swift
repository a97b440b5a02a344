/// A band of noise of a given power: a high-pass and a low-pass of the eighth order.
struct BandFilter {
  private var sections: [Biquad]
  private var gain = 1.0

  /// The quality factors of the four sections of an eighth-order Butterworth filter: 1 / (2 cos x)
  /// for x = 11.25, 33.75, 56.25 and 78.75 degrees.
  private static let qualities = [
    0.509795579104159, 0.601344886935045, 0.899976223136416, 2.562915447741506,
  ]

  /// - Parameter power: the mean square of the output for white noise from -1 to 1.
  init(from low: Double, to high: Double, rate: Double, power: Double) {
    sections = Self.qualities.flatMap { quality in
      [
        Biquad(highPassAt: low, rate: rate, quality: quality),
        Biquad(lowPassAt: high, rate: rate, quality: quality),
      ]
    }
    // White noise from -1 to 1 has the mean square 1/3. The filter multiplies it by the energy of
    // its impulse response.
    var probe = self
    var energy = 0.0
    for frame in 0..<4096 {
      let answer = probe.next(frame == 0 ? 1 : 0)
      energy += answer * answer
    }
    gain = (power * 3 / energy).squareRoot()
  }

  mutating func next(_ input: Double) -> Double {
    var output = input
    for index in sections.indices { output = sections[index].next(output) }
    return output * gain
  }
}

/// A filter of the second order, by R. Bristow-Johnson's Cookbook
/// formulae for audio equalizer biquad filter coefficients.
private struct Biquad {
  private let b0, b1, b2, a1, a2: Double
  private var x1 = 0.0, x2 = 0.0, y1 = 0.0, y2 = 0.0

  init(lowPassAt frequency: Double, rate: Double, quality: Double) {
    self.init(at: frequency, rate: rate, quality: quality) { cosine in
      ((1 - cosine) / 2, 1 - cosine)
    }
  }

  init(highPassAt frequency: Double, rate: Double, quality: Double) {
    self.init(at: frequency, rate: rate, quality: quality) { cosine in
      ((1 + cosine) / 2, -(1 + cosine))
    }
  }

  private init(
    at frequency: Double, rate: Double, quality: Double,
    outerAndMiddle: (_ cosine: Double) -> (Double, Double)
  ) {
    let point = Complex.onUnitCircle(2 * .pi * frequency / rate)
    let alpha = point.imaginary / (2 * quality)
    let (outer, middle) = outerAndMiddle(point.real)
    b0 = outer / (1 + alpha)
    b1 = middle / (1 + alpha)
    b2 = b0
    a1 = -2 * point.real / (1 + alpha)
    a2 = (1 - alpha) / (1 + alpha)
  }

  mutating func next(_ x: Double) -> Double {
    let y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
    (x2, x1, y2, y1) = (x1, x, y1, y)
    return y
  }
}
