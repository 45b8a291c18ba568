"""The application of a source: the lengths of its messages, and when each is due or handed over."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from recording import Recording

WORD = (1 << 64) - 1


def random_words(recording: Recording, name: str) -> Iterator[int]:
    """Iterate over the 64-bit numbers of a random stream of the run: PCG XSL RR 128/64, as NumPy has it.

    The seed of the stream follows from seed, replication and name by SplitMix64 and FNV-1a.
    """
    mixed = _mix(recording.header["seed"])
    mixed = _mix(mixed ^ recording.header["replication"])
    hashed = 0xCBF29CE484222325
    for byte in name.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 & WORD
    words = [_mix(mixed ^ hashed)]
    for _ in range(4):
        words.append(_mix(words[-1]))
    state, sequence = words[1] << 64 | words[2], words[3] << 64 | words[4]
    increment = (sequence << 1 | 1) & ((1 << 128) - 1)
    generator = np.random.PCG64()
    state = (state + increment) * MULTIPLIER + increment & ((1 << 128) - 1)
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": 0,
        "uinteger": 0,
    }
    while True:
        yield int(generator.random_raw())


MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
"""The multiplier of the generator, which NumPy applies too."""


def _mix(word: int) -> int:
    """Return a step of SplitMix64."""
    z = (word + 0x9E3779B97F4A7C15) & WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def lengths(name: str, recording: Recording) -> Iterator[int]:
    """Iterate over the lengths of the messages of a flow in bytes: uniform, by Lemire's method."""
    size = recording.scenario["flows"][name]["app"]["message"]
    low, count = size["min"], size["max"] - size["min"] + 1
    if count == 1:
        while True:
            yield low
    words = random_words(recording, f"flow/{name}/messages")
    while True:
        product = next(words) * count
        while product & WORD < (1 << 64) % count:
            product = next(words) * count
        yield low + (product >> 64)


def due_times(name: str, recording: Recording, opened_at: int) -> Iterator[int]:
    """Iterate over the times at which the messages of an application with a rate are due, from its start on."""
    app = recording.scenario["flows"][name]["app"]
    paused, active_until, bits = 0, math.inf, 0
    words = random_words(recording, f"flow/{name}/on-off")
    if app["kind"] == "on-off":
        active_until = opened_at + _exponential(app["on"], words)
    yield opened_at
    for length in lengths(name, recording):
        bits += 8 * length
        active = opened_at + bits * 1_000_000_000 // app["rate"]
        while active >= active_until:
            paused += _exponential(app["off"], words)
            active_until += _exponential(app["on"], words)
        yield active + paused


def _exponential(mean: int, words: Iterator[int]) -> int:
    """Return an exponentially distributed time with a mean in nanoseconds, at least 1 ns."""
    unit = (next(words) >> 11) / (1 << 53)
    return max(1, round(-mean / 1e9 * math.log(1 - unit) * 1e9))


def handed_over(name: str, recording: Recording, opened_at: int, freed: list[tuple[int, int]]) -> Iterator[int]:
    """Iterate over the times at which a saturated application hands over its messages: as soon as they have room.

    `freed` has the bytes that left the send buffer, by time.
    """
    capacity = recording.scenario["flows"][name]["send_buffer"]
    times, room, total = [opened_at], [capacity], 0
    for at, count in freed:
        times.append(at)
        room.append(room[-1] + count)
    at = 0
    for length in lengths(name, recording):
        total += length
        while at < len(room) and room[at] < total:
            at += 1
        if at == len(room):
            return
        yield times[at]
