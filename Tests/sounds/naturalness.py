"""How natural a phrase sounds: the mean opinion of listeners, 1 to 5, as DNSMOS P.808 predicts it.

DNSMOS is a network by Microsoft, trained on the opinions of many listeners (ITU-T P.808). Its weights come with
speechmos from PyPI. It can rank voices, but it does not replace ears.
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

import numpy as np
import soundfile
from scipy import signal

import sound_level
from voice_pack import MINUTES, RATE, VOICES

MODEL_RATE = 16000
MODEL_FRAMES = round(9.01 * MODEL_RATE)
HOP_FRAMES = 160
# What the default voice must reach: its opinion as chained, and how much that may differ from whole sentences.
DEFAULT_VOICE, LEAST, MOST_APART = "heart", 3.7, 0.1


def missing():
    """Why nothing can be rated here, or None."""
    for module in ("speechmos", "onnxruntime", "librosa"):
        if not importlib.util.find_spec(module):
            return f"{module} is missing: pip install {module}"
    return None


def miss(name, chained, whole):
    """How the voice NAME misses its target with these opinions, or None. Only the default voice has a target."""
    if name != DEFAULT_VOICE:
        return None
    if chained < LEAST:
        return f"{name} has {chained:.3f}, less than {LEAST}"
    if abs(chained - whole) > MOST_APART:
        return f"{name} has {chained:.3f} chained and {whole:.3f} whole, more than {MOST_APART} apart"
    return None


class Listener:
    def __init__(self):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        folder = pathlib.Path(importlib.util.find_spec("speechmos").origin).parent
        self.model = onnxruntime.InferenceSession(str(folder / "dnsmos_models" / "model_v8.onnx"), options)

    def opinion(self, samples):
        """The opinion of SAMPLES at 48 kHz, with 250 ms of silence around them, repeated to the model's 9 s."""
        import librosa
        low = np.pad(signal.resample_poly(samples, 1, RATE // MODEL_RATE), MODEL_RATE // 4)
        heard = np.resize(low, MODEL_FRAMES)[:-HOP_FRAMES].astype(np.float32)
        mel = librosa.feature.melspectrogram(y=heard, sr=MODEL_RATE, n_fft=2 * HOP_FRAMES + 1, hop_length=HOP_FRAMES,
                                             n_mels=120)
        features = (librosa.power_to_db(mel, ref=np.max) + 40) / 40
        return float(self.model.run(None, {"input_1": features.T[None].astype(np.float32)})[0][0, 0])


def engine(name):
    """The engine of the pack NAME, from sounds/voices/make."""
    sys.path.append(str(VOICES))
    loader = importlib.machinery.SourceFileLoader("make", str(VOICES / "make"))
    make = importlib.util.module_from_spec(importlib.util.spec_from_loader("make", loader))
    loader.exec_module(make)
    return make.VOICES[name].engine


def whole_sentence(engine, text):
    """TEXT as the engine speaks it whole, at 48 kHz, with at most 10 ms of silence around it."""
    with tempfile.TemporaryDirectory() as scratch:
        wave = pathlib.Path(scratch) / "sentence.wav"
        engine(text, wave)
        samples, rate = soundfile.read(wave)
    samples = signal.resample_poly(samples, RATE, rate)
    before, after = (round(milliseconds * RATE / 1000) for milliseconds in sound_level.silence_at_ends(samples))
    spare = RATE // 100
    return samples[max(0, before - spare):len(samples) - max(0, after - spare)]


def of_quarters(pack, clock, listener):
    """The mean opinions of a day's 96 quarters: as clocksmith chains them, and as the pack's engine speaks them."""
    speak, opinions = engine(pack.name), []
    for time in MINUTES[::15]:
        text = " ".join(pack.texts[name] for name in pack.clips_of(clock, *time))
        sentence = whole_sentence(speak, f"{text}.")
        opinions.append((listener.opinion(pack.joined(clock, *time)[0]), listener.opinion(sentence)))
    return np.mean(opinions, axis=0)
