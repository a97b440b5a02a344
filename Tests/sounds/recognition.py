"""Recognises speech: pocketsphinx with a strict grammar of times, or of timers."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import soundfile
from scipy import signal

RATE = 48000
RECOGNISER_RATE = 16000
# Debian's place for the models; the folder in it differs between releases.
MODELS = pathlib.Path("/usr/share/pocketsphinx")

# Pronunciations in the phone set of the model's own dictionary, US English. "am"
# and "pm" are spelled letters here, so the word "am" is never heard instead.
SAID = {
    "oh": ["OW"], "zero": ["Z IH R OW", "Z IY R OW"], "one": ["W AH N"], "two": ["T UW"], "three": ["TH R IY"],
    "four": ["F AO R"], "five": ["F AY V"], "six": ["S IH K S"], "seven": ["S EH V AH N"], "eight": ["EY T"],
    "nine": ["N AY N"], "ten": ["T EH N"], "eleven": ["IH L EH V AH N", "IY L EH V AH N"], "twelve": ["T W EH L V"],
    "thirteen": ["TH ER T IY N"], "fourteen": ["F AO R T IY N"], "fifteen": ["F IH F T IY N"],
    "sixteen": ["S IH K S T IY N"], "seventeen": ["S EH V AH N T IY N"], "eighteen": ["EY T IY N"],
    "nineteen": ["N AY N T IY N"], "twenty": ["T W EH N T IY", "T W EH N IY"], "thirty": ["TH ER D IY", "TH ER T IY"],
    "forty": ["F AO R T IY"], "fifty": ["F IH F T IY"], "hundred": ["HH AH N D R AH D", "HH AH N D R IH D"],
    "oclock": ["AH K L AA K"], "am": ["EY EH M"], "pm": ["P IY EH M"],
    "hour": ["AW ER", "AW R"], "hours": ["AW ER Z", "AW R Z"], "minute": ["M IH N AH T"], "minutes": ["M IH N AH T S"],
    "second": ["S EH K AH N D", "S EH K AH N"], "seconds": ["S EH K AH N D Z", "S EH K AH N Z"],
    "and": ["AE N D", "AH N D"], "a": ["AH", "EY"], "half": ["HH AE F"], "left": ["L EH F T"], "timer": ["T AY M ER"],
    "it": ["IH T"], "is": ["IH Z"], "quarter": ["K W AO R T ER", "K AO R T ER"], "past": ["P AE S T"],
    "to": ["T UW", "T AH", "T IH"], "noon": ["N UW N"], "midnight": ["M IH D N AY T"], "in": ["IH N"],
    "the": ["DH AH", "DH IY"], "morning": ["M AO R N IH NG"], "afternoon": ["AE F T ER N UW N"],
    "evening": ["IY V N IH NG"], "at": ["AE T"], "night": ["N AY T"],
    "round": ["R AW N D"], "work": ["W ER K"], "rest": ["R EH S T"], "go": ["G OW"], "done": ["D AH N"],
    "i": ["AY"], "do": ["D UW"], "not": ["N AA T"], "know": ["N OW"], "time": ["T AY M"], "yet": ["Y EH T"],
}

TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
RULES = f"""
<digit> = one|two|three|four|five|six|seven|eight|nine;
<teen> = {TEENS};
<ohs> = oh <digit>;
<minute> = <ohs> | <teen> | (twenty|thirty|forty|fifty) [<digit>];
<hour12> = <digit> | ten | eleven | twelve;
<hour24> = zero | <ohs> | <teen> | twenty [one|two|three];
<number> = <digit> | <teen> | (twenty|thirty|forty|fifty) [<digit>];
<left> = <number> [and a half] (hour|hours|minute|minutes|second|seconds) left;
<timer> = [<number> hour] [<number> minute] [<number> second] timer;
<five> = five | ten | quarter | twenty | twenty five;
<counted> = (<five> | <number> (minute|minutes)) (past|to) | half past;
<part> = in the (morning|afternoon|evening) | at night;
<digital> = <hour12> (oclock | <minute> (am|pm));
<digital24> = <hour24> (hundred | <minute>);
<natural> = <hour12> oclock | <counted> <hour12> | noon | midnight;
<day> = (<hour12> oclock | <counted> <hour12>) <part> | noon | midnight;
"""
GRAMMARS = {
    "words": "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|thirty|forty five|am|pm|oclock",
    12: "<digital>",
    24: "<digital24>",
    "12 natural": "<natural>",
    "12 natural-day": "<day>",
    "opened": "it is (<digital> | <digital24> | <natural> | <day>)",
    # Any of these words in any order. Without "to": rms ends "not" with a T that sounds like it.
    "answer": "(i | do | not | know | the | time | yet | go | done | night | oh | it | noon)+",
    "timers": "<left> | <timer> | round <number> | work | rest | half | go | done",
}


def _model():
    """The folder of the US English acoustic model, or None."""
    return next((mdef.parent for mdef in sorted(MODELS.rglob("en-us/mdef"))), None)


def missing():
    """Why nothing can be recognised here, or None."""
    if not shutil.which("pocketsphinx_batch"):
        return "pocketsphinx_batch is missing: apt install pocketsphinx"
    if not _model():
        return f"no model in {MODELS}: apt install pocketsphinx-en-us"
    return None


def _write_grammar(grammar, path):
    path.write_text(f"#JSGF V1.0;\ngrammar times;{RULES}public <said> = {GRAMMARS[grammar]};\n")


def _write_dictionary(path):
    entries = [f"{word}{f'({n})' if n > 1 else ''} {phones}"
               for word, sounds in SAID.items() for n, phones in enumerate(sounds, 1)]
    path.write_text("\n".join(sorted(entries)) + "\n")


def _write_recording(samples, path):
    """Writes a recording at the model's rate, with 250 ms of silence around it for the model to settle."""
    silence = np.zeros(RECOGNISER_RATE // 4)
    low = signal.resample_poly(samples, 1, RATE // RECOGNISER_RATE)
    soundfile.write(path, np.concatenate([silence, low, silence]), RECOGNISER_RATE, "PCM_16")


def recognise(recordings, grammar, scratch):
    """Recognises each of RECORDINGS {key: samples at 48 kHz}. Returns {key: words}."""
    scratch = pathlib.Path(scratch)
    _write_grammar(grammar, scratch / "grammar.jsgf")
    _write_dictionary(scratch / "words.dict")
    names = {}
    for number, (key, samples) in enumerate(recordings.items()):
        names[f"r{number:05}"] = key
        _write_recording(samples, scratch / f"r{number:05}.wav")
    # One recogniser per core, each with its share.
    cores = min(len(os.sched_getaffinity(0)), len(names))
    parts = [scratch / f"part{core}" for core in range(cores)]
    listeners = [_listener([*names][core::cores], part, scratch) for core, part in enumerate(parts)]
    heard = dict.fromkeys(recordings, "")
    for listener, part in zip(listeners, parts):
        if listener.wait():
            raise RuntimeError(f"pocketsphinx_batch: {part.with_suffix('.log').read_text()[-2000:]}")
        for line in part.with_suffix(".heard").read_text().splitlines():
            words, _, name = line.rpartition(" (")
            heard[names[name.split()[0]]] = words.strip()
    return heard


def _listener(names, part, scratch):
    """Starts a recogniser for these recordings; it writes its results to PART.heard."""
    part.with_suffix(".list").write_text("".join(f"{name}\n" for name in names))
    # These options are the same in pocketsphinx 0.8 (Debian 12) and 5 (Debian 13).
    command = ["pocketsphinx_batch", "-hmm", _model(), "-dict", scratch / "words.dict",
               "-jsgf", scratch / "grammar.jsgf", "-ctl", part.with_suffix(".list"), "-cepdir", scratch,
               "-cepext", ".wav", "-adcin", "yes", "-adchdr", "44", "-hyp", part.with_suffix(".heard"),
               "-bestpath", "no"]
    with part.with_suffix(".log").open("w") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)
