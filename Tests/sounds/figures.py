#!/usr/bin/python3
"""Prints the figures of the voice packs that ship, one beside the other: a table in sounds/voices/README.md.

With names of voices as arguments, it prints only those. Exit status 1 if the opinion of the default voice misses its
target.
"""

import sys

sys.dont_write_bytecode = True

import numpy as np  # noqa: E402

import naturalness  # noqa: E402
import sound_level  # noqa: E402
import timer_phrases  # noqa: E402
from voice_pack import CLOCKS, MINUTES, RATE, STYLES, Pack, shipped_packs  # noqa: E402


def span(values, unit, digits=1):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f} {unit}"


def clip_figures(pack):
    """(what is measured, its target, the figure) of each figure of the clips."""
    clips = pack.samples.values()
    before, after = np.array([sound_level.silence_at_ends(clip) for clip in clips]).max(axis=0)
    megabytes = sum(file.stat().st_size for file in pack.files.values()) / 1e6
    yield "clips", "", f"{len(clips)}, {sum(map(len, clips)) / RATE:.0f} s in all, {megabytes:.1f} MB"
    timers = pack.clips_of_timers_alone()
    megabytes = sum(pack.files[name].stat().st_size for name in timers) / 1e6
    yield "clips of timers alone, of those", "", f"{len(timers)}, {megabytes:.1f} MB"
    yield "bandwidth", "", f"{sound_level.bandwidth(np.concatenate([*clips])) / 1000:.1f} kHz"
    yield ("loudest 400 ms of a clip", "within 2 LU",
           span([sound_level.maximum_momentary(clip) for clip in clips], "LUFS", 2))
    yield "true peak", "-1 dBTP", f"{max(map(sound_level.true_peak, clips)):.1f} dBTP at most"
    yield ("silence before, after (-40 dB of the peak)", "15 and 40 ms",
           f"{before:.0f} and {after:.0f} ms at most")
    yield "DC", "under 0.1 %", f"{100 * max(abs(clip.mean()) for clip in clips):.5f} % at most"
    yield ("first and last sample", "under -60 dBFS",
           f"{max(max(abs(clip[0]), abs(clip[-1])) for clip in clips):g}")


def name_of(clock):
    """As in "12 h", or "12 h natural"."""
    return str(clock).replace("12", "12 h").replace("24", "24 h")


def phrase_figures(pack, clock):
    loudness, length = f"{name_of(clock)}, loudness of 1,440 phrases", f"{name_of(clock)}, length at :15, :30 and :45"
    if clock not in pack.wordings:
        yield loudness, "-20 ±1 LUFS", "none"
        yield length, "", "none"
        return
    phrases = {time: pack.joined(clock, *time)[0] for time in MINUTES}
    quarters = [len(clip) / RATE for (_, minute), clip in phrases.items() if minute in (15, 30, 45)]
    yield (loudness, "-20 ±1 LUFS",
           span([*map(sound_level.integrated, phrases.values())], "LUFS", 2))
    yield (length, "",
           f"{span(quarters, 's', 2)}, mean {np.mean(quarters):.2f} s")


def timer_figures(pack):
    phrases = {phrase: pack.joined_timer(phrase)[0] for phrase in timer_phrases.ALL}
    left = [len(clip) / RATE for (kind, *_), clip in phrases.items() if kind == "left"]
    chains = [clip for phrase, clip in phrases.items() if phrase not in timer_phrases.WORDS]
    yield (f"timers, loudness of {len(chains)} phrases", "-20 ±1.25 LUFS",
           span([*map(sound_level.integrated, chains)], "LUFS", 2))
    yield "timers, length of what is left", "", f"{span(left, 's', 2)}, mean {np.mean(left):.2f} s"


def naturalness_figures(pack, misses):
    """The quarters of an hour as chained clips, beside whole sentences of the pack's engine. Adds to MISSES the rows in
    which they are worse than they have to be."""
    reason, listener = naturalness.missing(), None
    for clock in (*CLOCKS, *STYLES):
        what = f"{name_of(clock)}, opinion of 96 quarters, chained and whole"
        if clock not in pack.wordings:
            yield what, "3.7, within 0.1", "none"
            continue
        if reason:
            yield what, "3.7, within 0.1", f"skipped: {reason}"
            continue
        listener = listener or naturalness.Listener()
        chained, whole = naturalness.of_quarters(pack, clock, listener)
        if miss := naturalness.miss(pack.name, chained, whole):
            misses.append(f"{what}: {miss}")
        yield what, "3.7, within 0.1", f"{chained:.2f} and {whole:.2f}"


def figures(pack, misses):
    yield from clip_figures(pack)
    for clock in (*CLOCKS, *STYLES):
        yield from phrase_figures(pack, clock)
    yield from timer_figures(pack)
    yield from naturalness_figures(pack, misses)


def main(names):
    packs, misses = [Pack(folder) for folder in shipped_packs() if folder.name in names or not names], []
    print(f"| what | target | {' | '.join(pack.name for pack in packs)} |\n|---|---|{'---|' * len(packs)}")
    for row in zip(*(figures(pack, misses) for pack in packs)):
        what, target, _ = row[0]
        print(f"| {what} | {target} | {' | '.join(figure for _, _, figure in row)} |", flush=True)
    if misses:
        sys.exit("\n".join(f"figures: {miss}" for miss in misses))


if __name__ == "__main__":
    main(sys.argv[1:])
