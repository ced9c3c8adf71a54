# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures systems in turns, so that other load on the machine affects all alike."""

import random
import time

STRETCHES = 3


def alternate(runners, seconds, sample):
    """Lists by name of what sample(runner) gives, which makes a call: the runners make one each in turn, for so many
    seconds and three times at least. Where there are more than two, their order changes, since a call also pays for
    the caches that the one before it took: a training step of GHLO takes a fifth longer after the same step of XLA,
    which gets its memory from the system each time, than after one of its own."""
    samples = {runner.name: [] for runner in runners}
    orders, order = random.Random(1), [None]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples[runners[0].name]) < 3:
        last, order = order[-1], orders.sample(runners, len(runners))
        if order[0] is last:
            order.reverse()
        for runner in order:
            samples[runner.name].append(sample(runner))
    return samples


def stretch(runners, seconds, sample):
    """As alternate, for systems that share a GPU: whole stretches of calls take turns, and the first half of each does
    not count. A GPU takes 0.3 ms to go over from one system's context to another's, and calls are slower for a while
    behind that."""
    samples = {runner.name: [] for runner in runners}
    length = seconds / len(runners) / STRETCHES
    for _ in range(STRETCHES):
        for runner in runners:
            begin = start = time.perf_counter()
            counted = 0
            while counted == 0 or start < begin + length:
                found = sample(runner)
                if start >= begin + length / 2:
                    samples[runner.name].append(found)
                    counted += 1
                start = time.perf_counter()
    return samples


def time_call(runner):
    """Returns the time of a call in seconds."""
    start = time.perf_counter()
    runner.call()
    return time.perf_counter() - start
