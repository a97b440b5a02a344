#!/usr/bin/env python3
"""Calls the service over a bus of its own with messages of any form, and sees how it answers.

    Tests/fuzz/bus.py [--program P] [--calls N] [--seed S]

Whatever it is called with, the service must answer, with a result or an error, and go on. Each
call is made from its seed and number alone.
"""

import argparse
import os
import pathlib
import random
import sys
import tempfile
import time

from jeepney import DBusAddress, MessageType, new_method_call

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "org.clocksmith.Announcer1"
PATH = "/org/clocksmith/Announcer1"

INTERFACES = [NAME] * 6 + ["org.freedesktop.DBus.Properties"] * 4 + [
    "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer", "a.b"]
# The methods that take a record, with their keys.
KEYS = {
    "Announce": ["time", "at"], "Mute": ["for", "until"], "SetVolume": ["volume_db"],
    "StartTimer": ["seconds", "name"], "AddToTimer": ["timer", "seconds"], "PauseTimer": ["timer"],
    "ResumeTimer": ["timer"], "CancelTimer": ["timer"], "StopTimer": ["timer"], "TellTimer": ["timer"],
    "StartInterval": ["seconds", "work", "rest", "rounds", "prepare", "countdown", "words", "replace"],
    "SetAlarm": ["time", "days", "name", "tune", "rise", "replace"], "SkipAlarm": ["alarm"],
    "UnskipAlarm": ["alarm"], "TurnAlarmOn": ["alarm"], "TurnAlarmOff": ["alarm"],
    "SnoozeAlarm": ["alarm"], "StopAlarm": ["alarm"], "CancelAlarm": ["alarm"], "Agenda": ["from", "to"],
    "SetSetting": ["key", "value"], "Settings": ["key"],
}
MEMBERS = {
    NAME: ["Stop", "Unmute", "StopInterval", "Explode", "mute", *KEYS],
    "org.freedesktop.DBus.Properties": ["Get", "GetAll", "Set", "Put"],
    "org.freedesktop.DBus.Introspectable": ["Introspect"],
    "org.freedesktop.DBus.Peer": ["Ping", "GetMachineId"],
    "a.b": ["C"],
}
# The correct signatures. 70 % of the calls use them, so that the values are tested as well.
FORMS = {method: "a{sv}" for method in KEYS} | {"Get": "ss", "GetAll": "s", "Set": "ssv"}
NAMES = [
    NAME, "", "VolumeDB", "Trust", "Muted", "Next", "ClockUncertainty", "Nothing",
    "org.freedesktop.DBus.Peer", "é" * 300, "x" * 100_000, "%s%n", "\x1b[31m", "\u202e",
]
INTEGERS = {"y": 8, "n": 16, "q": 16, "i": 32, "u": 32, "x": 64, "t": 64}
SIGNED = "nix"
NUMBERS = [0.0, -0.0, -12.5, 0.1, 1e308, -1e308, float("nan"), float("inf"), 5e-324]


def form(chance, depth=0):
    """One complete type."""
    kind = chance.random()
    if depth > 3 or kind < 0.7:
        return chance.choice("ybnqiuxtdsog")
    if kind < 0.8:
        return "a" + form(chance, depth + 1)
    if kind < 0.87:
        return "a{" + chance.choice("sutx") + form(chance, depth + 1) + "}"
    if kind < 0.94:
        inner = "".join(form(chance, depth + 1) for _ in range(chance.randint(1, 3)))
        return f"({inner})"
    return "v"


def types(signature):
    """Splits a signature into its complete types."""
    found = []
    while signature:
        end = length(signature)
        found.append(signature[:end])
        signature = signature[end:]
    return found


def length(signature):
    if signature[0] == "a":
        return 1 + length(signature[1:])
    if signature[0] in "({":
        depth = 0
        for index, character in enumerate(signature):
            depth += (character in "({") - (character in ")}")
            if depth == 0:
                return index + 1
    return 1


def value(chance, kind):
    """A random value of a complete type, often at its limits."""
    if kind in INTEGERS:
        bits = INTEGERS[kind] - (kind in SIGNED)
        least = -(1 << bits) if kind in SIGNED else 0
        most = (1 << bits) - 1
        return chance.choice([least, most, 0, 1, 23, 59, 60, chance.randint(least, most)])
    if kind == "b":
        return chance.random() < 0.5
    if kind == "d":
        return chance.choice(NUMBERS + [chance.uniform(-70, 10)])
    if kind == "s":
        return chance.choice(NAMES)
    if kind == "o":
        return chance.choice(["/", PATH, "/a" * 200])
    if kind == "g":
        return chance.choice(["", "s", "a{sv}", "(ii)"])
    if kind == "v":
        inner = form(chance, 2)
        return (inner, value(chance, inner))
    if kind.startswith("a{"):
        key, rest = kind[2], kind[3:-1]
        return {value(chance, key): value(chance, rest) for _ in range(chance.choice([0, 1, 5]))}
    if kind == "ay":
        return bytes(chance.randrange(256) for _ in range(chance.choice([0, 1, 1000])))
    if kind.startswith("a"):
        most = 200 if kind[1:] in INTEGERS else 3
        return [value(chance, kind[1:]) for _ in range(chance.choice([0, 1, most]))]
    return tuple(value(chance, inner) for inner in types(kind[1:-1]))


def make(seed, number):
    """A call: interface, method, signature, arguments."""
    chance = random.Random(f"{seed}/{number}")
    interface = chance.choice(INTERFACES)
    member = chance.choice(MEMBERS[interface])
    signature = FORMS.get(member, "")
    if chance.random() < 0.3:
        signature = "".join(form(chance) for _ in range(chance.randint(0, 4)))
    if member in KEYS and signature == "a{sv}":
        keys = chance.sample(KEYS[member], chance.randint(0, len(KEYS[member])))
        # Two of three values are of a type that a record has.
        kinds = [chance.choice("sxdb") if chance.random() < 0.7 else form(chance, 2) for _ in keys]
        record = {key: (kind, value(chance, kind)) for key, kind in zip(keys, kinds)}
        return interface, member, signature, (record,)
    return interface, member, signature, tuple(value(chance, kind) for kind in types(signature))


def fuzz(connection, seed, numbers):
    """Makes the calls. Returns those without a reply within 5 s, and those whose error says that the
    service has gone."""
    unanswered = []
    for number in numbers:
        interface, member, signature, arguments = make(seed, number)
        call = new_method_call(
            DBusAddress(PATH, bus_name=NAME, interface=interface), member, signature or None,
            arguments)
        try:
            reply = connection.send_and_get_reply(call, timeout=40)
            gone = reply.header.message_type is MessageType.error and \
                reply.header.fields[4].endswith(("ServiceUnknown", "NoReply"))
        except TimeoutError:
            gone = True
        if gone:
            unanswered.append((number, member, signature))
    return unanswered


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=os.environ.get(
        "CLOCKSMITH", ROOT / ".build/release/clocksmith"), type=pathlib.Path)
    parser.add_argument("--calls", default=20_000, type=int, help="how many (default: 20000)")
    parser.add_argument("--seed", default=1, type=int)
    given = parser.parse_args()
    os.environ["CLOCKSMITH"] = str(given.program)
    sys.path.insert(0, str(ROOT / "Tests/program"))
    from message_bus import MessageBus
    from program import SILENT_ALSA, Clocksmith
    from service import Service

    folder = pathlib.Path(tempfile.mkdtemp(prefix="clocksmith-fuzz-"))
    bus = MessageBus(folder)
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), "TZ": "Europe/London",
        "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "STATE_DIRECTORY": str(folder)}
    clocksmith = Clocksmith(environment, folder)
    service = Service(
        clocksmith, clocksmith.configuration(), "--output", folder / "out.wav", alsa=SILENT_ALSA)
    began = time.monotonic()
    with bus.caller() as caller:
        caller.wait_for_service(service)
        before = service.memory()
        unanswered = fuzz(caller.connection, given.seed, range(given.calls))
        after = service.memory()
    alive = service.is_alive()
    print(f"{given.calls} calls of seed {given.seed} in {time.monotonic() - began:.0f} s: "
          f"{len(unanswered)} not answered, the service {'lives' if alive else 'has ended'}; "
          f"resident {before[0]} to {after[0]} kB, {len(service.lines())} lines in its journal")
    for number, member, signature in unanswered:
        print(f"  --seed {given.seed}, call {number}: {member} {signature}")
    status = service.stop() if alive else 1
    bus.stop()
    sys.exit(1 if unanswered or status else 0)


if __name__ == "__main__":
    main()
