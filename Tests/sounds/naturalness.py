"""How natural a phrase sounds: the mean opinion of listeners, 1 to 5, as DNSMOS P.808 predicts it.

DNSMOS is a network by Microsoft, trained on the opinions of many listeners (ITU-T P.808). Its weights come with
speechmos from PyPI. It can rank voices, but it does not replace ears.
"""

import importlib.util
import pathlib

import numpy as np
from scipy import signal

from voice_pack import RATE

MODEL_RATE = 16000
MODEL_FRAMES = round(9.01 * MODEL_RATE)
HOP_FRAMES = 160


def missing():
    """Why nothing can be rated here, or None."""
    for module in ("speechmos", "onnxruntime", "librosa"):
        if not importlib.util.find_spec(module):
            return f"{module} is missing: pip install {module}"
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
