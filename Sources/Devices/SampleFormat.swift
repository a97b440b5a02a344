import CALSA

/// How one sample is written, best first.
enum SampleFormat: CaseIterable {
  case float32, integer32, integer16

  /// The format of ALSA, in the byte order of this machine.
  var alsaFormat: snd_pcm_format_t {
    switch self {
    case .float32: SND_PCM_FORMAT_FLOAT
    case .integer32: SND_PCM_FORMAT_S32
    case .integer16: SND_PCM_FORMAT_S16
    }
  }

  /// ALSA's names of all the formats that a device has, as in `S24_3LE`.
  static func names(_ pcm: OpaquePointer, _ parameters: OpaquePointer?) -> [String] {
    (0...SND_PCM_FORMAT_LAST.rawValue).map { snd_pcm_format_t(rawValue: $0) }
      .filter { snd_pcm_hw_params_test_format(pcm, parameters, $0) == 0 }
      .compactMap { snd_pcm_format_name($0).map { String(cString: $0) } }
  }

  var bytes: Int { self == .integer16 ? 2 : 4 }
}
