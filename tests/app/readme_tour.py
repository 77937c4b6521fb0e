# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the commands of README's tour against an install of what ./demo builds.

usage: readme_tour.py SOURCE_DIR BINARY_DIR

Commands are the lines of the tour's fenced blocks and every `meshreel ...` in its text. Commands that measure for
minutes are started and stopped again: a command line that does not parse ends with exit code 2 before that.
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

source, binary = (pathlib.Path(argument) for argument in sys.argv[1:3])
LONG = {"bench", "check", "rates", "sweep", "tune"}
WHOLE = [["modes"]]
LIMIT = 120  # seconds a command may take on a busy machine
START = 2    # seconds in which a command line that is wrong has ended
STOP = 5     # seconds in which a command heeds SIGTERM


def fail(sentence):
    sys.exit(f"readme_tour: {sentence}")


def storyboard_of_the_docs():
    page = (source / "docs" / "tasks.md").read_text()
    return page.split("`meshreel film STORYBOARD.yaml` makes")[1].split("```yaml\n")[1].split("```")[0]


def tour():
    """The commands in order, as README spells them."""
    text = (source / "README.md").read_text()
    section = re.search(r"^## Five-minute tour\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    if not section:
        fail("README.md has no section 'Five-minute tour'")
    commands = []
    for block, inline in re.findall(r"^```\n(.*?)^```|`(meshreel(?:-studio)?(?:\s[^`]*)?)`", section[1], re.MULTILINE | re.DOTALL):
        lines = block.splitlines() if block else [" ".join(inline.split())]
        for line in lines:
            line = line.split("  #")[0].strip()
            if re.match(r"(build/release/bin/meshreel|meshreel(-studio)?\b|mpirun )", line):
                commands.append(line)
    return commands


class Tour:
    def __init__(self, folder):
        self.prefix = folder / "prefix"
        self.work = folder / "work"
        shutil.copytree(source / "configs", self.work / "configs")
        home = folder / "home"
        home.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MESHREEL_"))},
            "HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8",
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.words = {}

    def install(self):
        built = re.findall(r"^build quick (.+)$", (source / "demo").read_text(), re.MULTILINE)[-1].split()
        subprocess.run(["cmake", "--install", binary, "--prefix", self.prefix], check=True, stdout=subprocess.DEVNULL)
        inputs = subprocess.run(["ninja", "-C", binary, "-t", "query", *built], check=True, text=True,
                                capture_output=True).stdout.split()
        for program in (self.prefix / "bin").iterdir():  # a build of everything has more of them
            if f"bin/{program.name}" not in inputs:
                program.unlink()

    def start(self, words):
        return subprocess.Popen(words, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, words):
        begin = time.monotonic()
        process = self.start(words)
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            fail(f"{shlex.join(words)} has not ended after {LIMIT} s")
        print(f"{time.monotonic() - begin:6.1f} s  {shlex.join(words)}", flush=True)
        if process.returncode != 0:
            fail(f"{shlex.join(words)} ended with {process.returncode}:\n{output}")

    def start_and_stop(self, words):
        process = self.start(words)
        try:
            output, _ = process.communicate(timeout=START)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                process.communicate(timeout=STOP)
            except subprocess.TimeoutExpired:
                process.kill()
                fail(f"{shlex.join(words)} did not end within {STOP} s of SIGTERM")
        else:
            if process.returncode != 0:
                fail(f"{shlex.join(words)} ended with {process.returncode}:\n{output}")
        print(f"  started  {shlex.join(words)}", flush=True)

    def prepare(self):
        """What the tour's placeholders stand for."""
        short = ["meshreel", "run", "configs/demo.yaml", "--set", "num_inference_steps=2"]
        for name in ("RUN1", "RUN2"):
            self.run([*short, "--out", name])
        stopped = self.start(["meshreel", "run", "configs/demo.yaml", "--set", "num_inference_steps=100", "--out", "FOLDER"])
        steps = self.work / "FOLDER" / "steps.csv"
        while stopped.poll() is None and not (steps.exists() and steps.read_text().count("\n") > 2):
            time.sleep(0.01)
        stopped.send_signal(signal.SIGINT)
        stopped.communicate(timeout=LIMIT)
        if stopped.returncode == 0:
            fail("the run that was to be stopped and resumed ended before")
        (self.work / "hosts.txt").write_text("localhost slots=2\n")
        shutil.copy(source / "configs" / "demo.yaml", self.work / "PROJECT")
        (self.work / "STORYBOARD.yaml").write_text("num_inference_steps: 2\n" + storyboard_of_the_docs())
        shutil.copy(next((self.work / "RUN1").glob("*.mp4")), self.work / "video.mp4")

    def walk(self, commands):
        for command in commands:
            words = [word.removeprefix("build/release/bin/") for word in shlex.split(command)]
            if words[0] == "meshreel-studio":
                self.run([*words, "--version"])
            elif len(words) > 1 and words[1] in LONG:
                self.start_and_stop(words)
            elif words[1] == "get" and len(words) > 2:  # gigabytes from the network
                self.run([*words, "--dry-run"])
            elif len(words) < 3 and words[1:] not in WHOLE:  # a command that the text only names
                self.run([*words, "--help"])
            else:
                self.run(words)


with tempfile.TemporaryDirectory(prefix="meshreel-tour-") as name:
    commands = tour()
    if len(commands) < 15:
        fail(f"found only {len(commands)} commands in README.md")
    walked = Tour(pathlib.Path(name))
    walked.install()
    walked.prepare()
    walked.walk(commands)
    print(f"{len(commands)} commands of README's tour work")
