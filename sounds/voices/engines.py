"""Speech engines. Each speaks a text into a file, and returns its phones with their end times in seconds."""

import re
import subprocess
import sys

import numpy as np
import soundfile


def timed_phones(line):
    """Parses "phone:seconds" items of a line, as flite and festival print them: [(phone, end in seconds)]."""
    return [(phone, float(end)) for phone, end in (item.split(":") for item in line.split())]


def flite(voice, text, wave):
    """Speaks TEXT into the file WAVE. Returns its phones, with the engine's own times."""
    run = subprocess.run(["flite", "-voice", voice, "-t", text, "-psdur", "-o", str(wave)],
                         capture_output=True, text=True, check=True)
    return timed_phones(run.stdout)


class Festival:
    """Speaks in a voice of festival. The process keeps running, because it takes longer to start than to speak."""

    SPEAK = """(let ((said (utt.synth (Utterance Text "{text}"))))
        (utt.save.wave said "{wave}" 'riff)
        (mapcar (lambda (phone) (format t "%s:%f " (item.name phone) (item.feat phone "segment_end")))
                (utt.relation.items said 'Segment))
        (format t "\\n")
        (fflush nil))
    """

    def __init__(self, voice, speed):
        self.voice = voice
        self.speed = speed
        self.process = None

    def __call__(self, text, wave):
        if not self.process:
            self.process = subprocess.Popen(["festival", "--pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            text=True)
            self.process.stdin.write(f"(voice_{self.voice})\n"
                                     f"(set! hts_engine_params (cons '(\"-r\" {self.speed}) hts_engine_params))\n")
        self.process.stdin.write(self.SPEAK.format(text=text, wave=wave))
        self.process.stdin.flush()
        phones = timed_phones(self.process.stdout.readline())
        if not phones:
            sys.exit(f"make: festival does not speak in {self.voice}; what it says is above")
        return phones


# The phonemes of each word for hibari's model, in misaki's alphabet. Without them it reads "A M" as "uh M".
PHONEMES = dict(item.split(":") for item in """
    zero:zˈɪɹO oh:ˈO one:wˈʌn two:tˈu three:θɹˈi four:fˈɔɹ five:fˈIv six:sˈɪks seven:sˈɛvən eight:ˈAt nine:nˈIn
    ten:tˈɛn eleven:əlˈɛvən twelve:twˈɛlv thirteen:θˌɜɹtˈin fourteen:fˌɔɹtˈin fifteen:fˌɪftˈin sixteen:sˌɪkstˈin
    seventeen:sˌɛvəntˈin eighteen:ˌAtˈin nineteen:nˌIntˈin twenty:twˈɛnti thirty:θˈɜɹTi forty:fˈɔɹTi fifty:fˈɪfti
    hundred:hˈʌndɹəd o'clock:əklˈɑk A:ˌA P:pˌi M:ˈɛm hour:ˈWəɹ hours:ˈWəɹz minute:mˈɪnət minutes:mˈɪnəts
    second:sˈɛkənd seconds:sˈɛkəndz and:ænd a:ɐ half:hˈæf left:lˈɛft timer:tˈIməɹ round:ɹˈWnd work:wˈɜɹk
    rest:ɹˈɛst go:ɡˈO done:dˈʌn it:ɪt is:ɪz quarter:kwˈɔɹTəɹ past:pˈæst to:tə noon:nˈun midnight:mˈɪdnˌIt
    in:ɪn the:ðə thee:ði morning:mˈɔɹnɪŋ afternoon:ˌæftəɹnˈun evening:ˈivnɪŋ at:æt night:nˈIt I:ˌI do:dˈu not:nˌɑt know:nˈO time:tˈIm yet:jˈɛt
    """.split())
# Marks between phones: stress, length, and the end of a word.
MARKS = "ˈˌː "
# How much earlier the model speaks a phone than its count of steps says. Seen where S or T begins after a vowel.
EARLY_SECONDS = 0.0375


def phonemes(text):
    """The phonemes of TEXT. The parts of "twenty-one" are one word, and so are those of "A M"."""
    spoken = []
    for word in re.sub("the (?=[aeiou])", "thee ", text.strip(" .").replace(" M", "-M")).split():
        parts = word.split("-")
        for part in parts:
            if part not in PHONEMES:
                sys.exit(f"make: no phonemes for {part!r} in {text!r}: add them to PHONEMES in sounds/voices/engines.py")
        spoken.append("".join(PHONEMES[part] for part in parts))
    return " ".join(spoken) + "."


def phoneme_ids(phonemes, vocabulary):
    """The model's numbers for PHONEMES, with silence (0) before and after."""
    for phoneme in phonemes:
        if phoneme not in vocabulary:
            sys.exit(f"make: the model does not know the phoneme {phoneme!r} of {phonemes!r}: "
                     "correct PHONEMES in sounds/voices/engines.py")
    return [0, *(vocabulary[phoneme] for phoneme in phonemes), 0]


def phone_ends(phonemes, steps, seconds):
    """[(phone, end in seconds)] of PHONEMES. STEPS has the number of steps of each, and of the silences around them; a
    step takes SECONDS.

    The model's phones sound EARLY_SECONDS before its count. The steps of a mark count for the phone after it.
    """
    phones, end = [("pau", steps[0] * seconds - EARLY_SECONDS)], steps[0] * seconds - EARLY_SECONDS
    for phoneme, count in zip(phonemes, steps[1:-1], strict=True):
        end += count * seconds
        if phoneme not in MARKS:
            phones.append(("pau" if phoneme == "." else phoneme, end))
    return phones


class Hibari:
    """Speaks phonemes in the voice that comes with hibari."""

    # The name in the model's graph for the number of steps of each phoneme.
    STEPS = "/Clip_output_0"
    STEP_SECONDS = 0.025

    def __init__(self, speed):
        self.speed = speed
        self.model = None

    def load(self):
        try:
            import hibari
            import hibari.voices
            import onnx
            import onnxruntime
        except ImportError as missing:
            sys.exit(f"make: {missing}: pip install hibari-tts onnx, and start make with that Python; "
                     "sounds/voices/making.md says how")
        self.model = hibari.Hibari()
        graph = onnx.load(hibari.voices.voice_path(hibari.voices.DEFAULT))
        if not any(self.STEPS in node.output for node in graph.graph.node):
            sys.exit(f"make: the model of hibari {hibari.__version__} has no {self.STEPS}; 0.2.1 has it")
        graph.graph.output.append(onnx.ValueInfoProto(name=self.STEPS))
        options = onnxruntime.SessionOptions()
        # One thread only, so that it always adds in the same order.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(graph.SerializeToString(), options,
                                                    providers=["CPUExecutionProvider"])

    def __call__(self, text, wave):
        if not self.model:
            self.load()
        import hibari.dsp
        spoken = phonemes(text)
        ids = phoneme_ids(spoken, self.model.vocab)
        *sound, steps = self.session.run(
            None, {"ids": np.array([ids], np.int64), "speed": np.array([self.speed], np.float32)})
        # The breath in the voice is noise; a fixed seed keeps it the same.
        samples = hibari.dsp.synth(*(part[0] for part in sound), np.random.default_rng(0))
        soundfile.write(wave, samples, hibari.SAMPLE_RATE, "FLOAT")
        return phone_ends(spoken, np.ravel(steps), self.STEP_SECONDS)
