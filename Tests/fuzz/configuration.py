#!/usr/bin/env python3
"""Gives the program configurations that are nearly right, and sees how it answers.

    Tests/fuzz/configuration.py [--program P] [--inputs N] [--seed S] [--seconds T]

Whatever it is given, the program must end by itself, with 0, 1, 2 or 3, and unless that is 0 with
one sentence that is fit for a terminal. What it does not do so is kept in a folder, and named with
the seed and the number that make it again. Each input is made from its seed and number alone.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Every section and key of the manual page, with its default behind a semicolon.
KEYS = [section or f";{key}" for section, key in re.findall(
    r"^\.(?:SS (\[\w+\])|B (\w+ = .*))$", (ROOT / "debian/clocksmith.conf.5").read_text(encoding="utf-8"),
    re.MULTILINE)]

# Values that break parsers of numbers, times, lists, names and texts.
VALUES = [
    "", " ", "0", "-0", "1", "-1", "7", "15", "59", "60", "61", "1440", "99999999999999999999",
    "-9223372036854775808", "9223372036854775807ns", "1e3", "0x10", "１５", "٣", "NaN", "inf",
    "10s", "10 s", "-10s", "59s", "60s", "999999h", "10min", "9223372036854775807s",
    "31536000000ms", "1ms2", "0dB", "-60dB", "-61dB", "-0.5dB", "-6.dB", "-.dB", "--6dB", "1e9dB",
    "dB", "22:00-07:00", "22:00-22:00", "00:00-24:00", "24:00-00:00", "25:00-07:00", "22:60-1:00",
    "mon-fri 22:00-07:00, sat-sun 23:00-09:00", "sun-sun 0:00-0:01", "mon-mon-mon 1:00-2:00",
    "mon 22:00-07:00,", ",", "-", "--", ":", "22:00-", "-07:00", "mon-", "22:00-07:00 -6dB",
    "00:00-24:00 -6dB", "22:00-07:00 6dB", "none", "auto", "always", "default", "null", "yes",
    "westminster", "WESTMINSTER", "bigben", "../tunes/bigben", "/", "/dev/null", "/dev/zero",
    "/etc/passwd", "/proc/self/mem", ".", "..", "./", "a/b", "rms", "rms/", "GPIO17", "GPIO-1",
    "pinctrl-rp1:17", "pinctrl-rp1:-1", "gpiochip0:99999999999", ":", ":::", "hw:0", "plug:null",
    "plug:{", "%s%n", "$HOME", "`id`", "é" * 40, "a" * 190, "a" * 300, "\x1b[31m", "\x7f", "\t",
    "\ufeff", "\u202e", "a ; b", "a;b", "# b", "'q'", '"q"', "=", "= =", "[x]", "high", "low",
    "mute", "sound", "everything", "before", "12", "24", "speak", "finish",
]


def make(seed, number):
    """The input of that number, as bytes."""
    chance = random.Random(f"{seed} {number}")
    lines = list(KEYS)
    keys = [index for index, line in enumerate(lines) if re.match(r";\w+ = ", line)]
    for index in chance.sample(keys, chance.choice([0, 1, 1, 1, 2, 3, len(keys)])):
        lines[index] = lines[index][1:]
        if chance.random() < 0.8:
            lines[index] = f"{lines[index].split(' = ')[0]} = {chance.choice(VALUES)}"
    for _ in range(chance.choice([0, 0, 1, 1, 2, 8])):
        mutate_lines(chance, lines)
    text = "\n".join(lines).encode("utf-8", "surrogatepass") + b"\n"
    for _ in range(chance.choice([0, 0, 0, 1, 3, 30])):
        text = mutate_bytes(chance, text)
    return text


def mutate_lines(chance, lines):
    index = chance.randrange(len(lines))
    what = chance.randrange(7)
    if what == 0:
        lines.insert(index, lines[chance.randrange(len(lines))].lstrip(";"))
    elif what == 1:
        lines.insert(index, f"{chance.choice(['', 'x', 'interval', 'é'])} = {chance.choice(VALUES)}")
    elif what == 2:
        lines.insert(index, chance.choice(
            ["[", "]", "[]", "[announce", "[announce]", "[Announce]", "[x]", "[" * 99, "[a]]b", "[announce] clock = 24",
            "[announce] ; mine", "clock = 24 ; hours", "; mine\r[announce]\rclock = 24"]))
    elif what == 3:
        lines[index] = "  " + lines[index]
    elif what == 4 and len(lines) > 2:
        del lines[index]
    elif what == 5:
        lines[index] += "\r"
    else:
        lines[index] = lines[index] * chance.choice([2, 50])


def mutate_bytes(chance, text):
    if not text:
        return b"\0"
    index = chance.randrange(len(text))
    what = chance.randrange(5)
    if what == 0:
        return text[:index] + bytes([chance.randrange(256)]) + text[index + 1:]
    if what == 1:
        return text[:index] + chance.randbytes(chance.choice([1, 4, 300])) + text[index:]
    if what == 2:
        return text[:index] + text[index + chance.choice([1, 20, 400]):]
    if what == 3:
        return text[:index]
    return text[:index] + text[max(index - 200, 0):]


def judge(done, words):
    """The complaint about an answer, or None."""
    if done.returncode not in (0, 1, 2, 3):
        return f"it ended with {done.returncode}"
    if words[0] == "check":
        # `check` prints each finding as a line on standard output.
        if done.stderr and done.returncode != 1:
            return "it found something, and complained of something else"
        bad = [line for line in done.stdout.splitlines() if not line.isprintable()]
        return f"not fit for a terminal: {bad[0]!r}" if bad else None
    if done.returncode == 0:
        return None if done.stderr == "" else "it is done, and complains"
    sentences = done.stderr.splitlines()
    if len(sentences) != 1 or not done.stderr.endswith("\n"):
        return f"not one line: {done.stderr!r}"
    if not sentences[0].startswith("clocksmith: ") or not sentences[0].isprintable():
        return f"no sentence for a terminal: {sentences[0]!r}"
    return None


def attempt(program, path, words, environment):
    """The complaint about the program's answer to that file, or None."""
    try:
        done = subprocess.run(
            [program, *words, "--config", path], env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="surrogateescape", timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "it did not end within 60 s"
    return judge(done, words)


def fuzz(program, folder, seed, numbers, seconds=None):
    """Tries these inputs until `seconds` are over.

    :return: (how many were tried, [(number, subcommand, complaint)]).
    """
    (folder / "asound.conf").write_text("pcm.default { type null }\nctl.default { type null }\n")
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C", "TZ": "Europe/London",
        "ALSA_CONFIG_PATH": str(folder / "asound.conf"), "SWIFT_BACKTRACE": "enable=no"}
    until = time.monotonic() + (seconds or 1e9)
    wrong, count = [], 0
    for number in numbers:
        if time.monotonic() > until:
            break
        path = folder / f"{seed}-{number}.conf"
        path.write_bytes(make(seed, number))
        # `check` reads every clip as well, which is slow.
        words = ["check"] if number % 20 == 0 else ["agenda", "--hours", "2"]
        complaint = attempt(program, path, words, environment)
        count += 1
        if complaint:
            wrong.append((number, words[0], complaint))
        else:
            path.unlink()
    return count, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=os.environ.get(
        "CLOCKSMITH", ROOT / ".build/release/clocksmith"), type=pathlib.Path)
    parser.add_argument("--inputs", default=2000, type=int, help="how many (default: 2000)")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--seconds", type=float, help="at most so long")
    given = parser.parse_args()
    if not given.program.exists():
        sys.exit(f"no program at {given.program}: build it, or name it with --program")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="clocksmith-fuzz-"))
    began = time.monotonic()
    count, wrong = fuzz(
        given.program.resolve(), folder, given.seed, range(given.inputs), given.seconds)
    print(f"{count} inputs of seed {given.seed} in {time.monotonic() - began:.0f} s: "
          f"{len(wrong)} badly answered")
    for number, word, complaint in wrong:
        print(f"  {word} --config {folder}/{given.seed}-{number}.conf: {complaint}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
