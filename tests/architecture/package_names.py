#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/setup.sh asks each known release for packages by the names that it has there, and no other system for any.

usage: package_names.py SOURCE_FOLDER

apt-get and dpkg-query are stand-ins that write down how they are called.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
OTHERS = ["bash", "awk", "fold", "sed", "grep", "wc", "env", "id", "cat", "nproc", "dirname"]

RELEASES = {  # /etc/os-release, and what it calls libqt6opengl6-dev and libclang-rt-14-dev
    "Debian 12": ("ID=debian\nVERSION_CODENAME=bookworm\n", ["libqt6opengl6-dev", "libclang-rt-14-dev"]),
    "Debian 13": ("ID=debian\nVERSION_CODENAME=trixie\n", ["qt6-base-dev", "libclang-rt-19-dev"]),
    "Ubuntu 24.04": ("ID=ubuntu\nUBUNTU_CODENAME=noble\nVERSION_CODENAME=noble\n", ["qt6-base-dev", "libclang-rt-18-dev"]),
    "Ubuntu 26.04": ("ID=ubuntu\nUBUNTU_CODENAME=resolute\nVERSION_CODENAME=resolute\n", ["qt6-base-dev", "libclang-rt-21-dev"]),
    "Mint 22": ("ID=linuxmint\nUBUNTU_CODENAME=noble\nVERSION_CODENAME=wilma\n", ["qt6-base-dev", "libclang-rt-18-dev"]),
}


class System:
    """A folder of programs to run the script with, and what was asked of apt-get."""

    def __init__(self, folder, release, installed=False, without=()):
        self.folder, self.log = folder, folder / "asked"
        for name in OTHERS:
            (folder / name).symlink_to(shutil.which(name))
        self.stand_in("dpkg-query", "echo installed" if installed else "exit 1")
        self.stand_in("apt-get", f'echo "$*" >> "{self.log}"')
        self.stand_in("sudo", 'exec "$@"')
        for name in {"c++", "cmake", "ninja", "pkg-config"} - set(without):
            self.stand_in(name, "exit 0")
        (folder / "os-release").write_text(release)

    def stand_in(self, name, script):
        (self.folder / name).write_text(f"#!{shutil.which('bash')}\n{script}\n")
        (self.folder / name).chmod(0o755)

    def install(self, *names):
        script = 'names=("$@"); set --; . tools/setup.sh; trap - EXIT; install_packages "${names[@]:-${packages[@]}}"'
        return subprocess.run([shutil.which("bash"), "-c", script, "test", *names], cwd=ROOT, capture_output=True, text=True,
                              env={"PATH": str(self.folder), "MESHREEL_OS_RELEASE": str(self.folder / "os-release")})

    def asked(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [word for line in lines if " install " in f" {line} " for word in line.split() if word[0] != "-" and word != "install"]


def system(*arguments, **options):
    return System(pathlib.Path(tempfile.mkdtemp(dir=TEMPORARY)), *arguments, **options)


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r} instead of {wanted!r}")


def main():
    asked_for = ["cmake", "libqt6opengl6-dev", "libclang-rt-14-dev"]
    for name, (text, renamed) in RELEASES.items():
        here = system(text)
        ended = here.install(*asked_for)
        expect(f"{name}: exit code ({ended.stderr})", ended.returncode, 0)
        expect(f"{name}: packages", here.asked(), ["cmake", *renamed])
        twice = system(text)
        twice.install("qt6-base-dev", *asked_for)
        expect(f"{name}: packages named twice", len(twice.asked()), len(set(twice.asked())))
        complete = system(text, installed=True)
        expect(f"{name}: with all installed", (complete.install(*asked_for).returncode, complete.asked()), (0, []))

    for name, text in {"Fedora": "ID=fedora\nVERSION_ID=41\n", "Debian sid": "ID=debian\nVERSION_CODENAME=forky\n",
                       "a system without a name": ""}.items():
        here = system(text)
        ended = here.install(*asked_for)
        expect(f"{name}: exit code, packages", (ended.returncode, here.asked()), (0, []))
        if any(word not in ended.stdout for word in [*asked_for, "Going on"]):
            sys.exit(f"{name}: the list is not printed, or the build does not go on: {ended.stdout}")
        poor = system(text, without=["cmake", "ninja"])
        ended = poor.install(*asked_for)
        if ended.returncode == 0 or "cmake ninja" not in ended.stderr:
            sys.exit(f"{name}: goes on without cmake and ninja: {ended.stderr}")

    # Every row of the table renames something that the tools ask for, on a release that they know.
    setup = (ROOT / "tools" / "setup.sh").read_text()
    known = setup.split('known_releases="')[1].split('"')[0].split()
    wanted = setup.split('renamed_packages="')[0] + "".join(
        (ROOT / "tools" / tool).read_text() for tool in ("sanitize", "fuzz", "lint", "package"))
    for row in setup.split('renamed_packages="')[1].split('"')[0].strip().splitlines():
        release, name, _ = row.split()
        if release not in known or name not in wanted:
            sys.exit(f"the row '{row}' of renamed_packages names an unknown release or a package that nobody asks for")


with tempfile.TemporaryDirectory(prefix="meshreel-packages-") as TEMPORARY:
    main()
