#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/time-left.awk is within a third of the truth after the first minute of a build, on machines of any speed and number of CPUs.

usage: time_left.py SOURCE_FOLDER

A build is made up from the costs in tools/unit-costs: its steps take their cost times the machine's slowness, which wanders by a quarter
from step to step, and its log is what ninja would have written by the moment of the question.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])


def recorded_build(jobs, slowness, seed, cached=0.0):
    """(start, end, step) of each step, in seconds, and the order of their starts. A share of them, the first, is in a compiler cache."""
    dice = random.Random(seed)
    rows = [line.split("\t") for line in (ROOT / "tools/unit-costs").read_text().splitlines() if not line.startswith("#")]
    steps = [(float(cost), step) for cost, step in rows if " engine/" in step or " app/runner/" in step]
    dice.shuffle(steps)
    free, build = [0.0] * jobs, []
    for index, (cost, step) in enumerate(steps):
        job = free.index(min(free))
        took = cost * slowness * dice.uniform(0.75, 1.25) * (0.03 if index < cached * len(steps) else 1)
        build.append((free[job], free[job] + took, step))
        free[job] += took
    return build + [(max(free), max(free) + 2, "Linking CXX executable bin/meshreel")]


def asked(build, jobs, moment):
    """The seconds left, as the script says `moment` seconds after the start."""
    over = [row for row in build if row[1] <= moment]
    with tempfile.TemporaryDirectory() as scratch:
        plan, done, log = (pathlib.Path(scratch, name) for name in ("plan", "done", "log"))
        plan.write_text("".join(f"{step}\n" for _, _, step in build))
        done.write_text("".join(f"{step}\n" for _, _, step in over))
        stale = "".join(f"0\t90000\t0\t{step.split()[-1]}\t0\n" for _, _, step in build)  # of a build before this one
        log.write_text("# ninja log v5\n" + stale + "".join(
            f"{start * 1000:.0f}\t{end * 1000:.0f}\t0\t{step.split()[-1]}\t0\n" for start, end, step in over))
        words = ["awk", "-v", f"jobs={jobs}", "-v", f"elapsed={moment}", "-f", ROOT / "tools/time-left.awk",
                 ROOT / "tools/unit-costs", plan, done, log]
        return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def main():
    wrong = []
    for jobs in (1, 2, 4, 16):
        for slowness in (0.6, 1, 3):
            build = recorded_build(jobs, slowness, seed=jobs * 10 + int(slowness))
            end = build[-1][1]
            for moment in (60, 0.3 * end, 0.6 * end, 0.9 * end):
                moment, left = int(moment), end - int(moment)
                if moment < 60 or left < 20:
                    continue
                said = asked(build, jobs, moment)
                if abs(said - left) > left / 3 + 5:  # a unit that is at work may end at any moment
                    wrong.append(f"{jobs} jobs, {slowness} times the cost, after {moment} s: {said} s said, {left:.0f} s left")
        for cached in (0.3, 0.6) if jobs < 16 else ():
            build = recorded_build(jobs, 1, seed=jobs, cached=cached)
            behind = build[int(cached * (len(build) - 1)) + 1][0]  # when the first step begins that is not in the cache
            moment = int(behind + 120)
            said, left = asked(build, jobs, moment), build[-1][1] - moment
            if left > 20 and abs(said - left) > left / 3 + 5:
                wrong.append(f"{jobs} jobs, {cached} of them cached, {moment} s: {said} s said, {left:.0f} s left")
        if asked(recorded_build(jobs, 1, seed=1), jobs, 10 ** 6) != 0:
            wrong.append(f"{jobs} jobs: time is left after the end")
    print("\n".join(wrong) or "within a third")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
