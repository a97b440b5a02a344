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

  var bytes: Int { self == .integer16 ? 2 : 4 }
}
