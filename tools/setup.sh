# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by ./demo, ./check and tools/: installs what is missing, configures, builds. Source it from the project's root.
set -euo pipefail

packages=(
    # tools
    build-essential cmake ninja-build pkg-config git ca-certificates ccache
    # engine
    libopenblas-pthread-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libyaml-cpp-dev libicu-dev
    libdnnl-dev libhwy-dev libxxhash-dev libsentencepiece-dev libhwloc-dev libcli11-dev libopenmpi-dev openmpi-bin
    libavcodec-dev libavformat-dev libavutil-dev libswscale-dev
    # Studio: Qt6Charts' CMake files need libqt6opengl6-dev, which is only recommended
    qt6-base-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools linguist-qt6 qt6-charts-dev libqt6opengl6-dev
    qt6-svg-dev libqt6svg6 libgl1-mesa-dev qt6-qpa-plugins qt6-translations-l10n
    # fonts for Latin and CJK labels
    fonts-dejavu-core fonts-noto-cjk
)
test_packages=(
    libgtest-dev libgmock-dev librapidcheck-dev python3 iproute2
    desktop-file-utils appstream dbus-daemon
)

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

# Names the step that failed; `step` is kept up to date by begin().
step="start"
begin() {
    step="$*"
    say "$step"
}
trap 'code=$?; [ $code -eq 0 ] || [ "${step}" = run ] || printf "\nFailed while: %s (exit %s). The lines above say why.\n" "$step" "$code" >&2' EXIT

install_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        echo "All $# packages are installed."
        return
    fi
    if ! command -v apt-get >/dev/null; then
        echo "This is not a Debian system; please install by hand: ${missing[*]}" >&2
        return 1
    fi
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Packages are missing and neither root nor sudo is at hand. As root: apt-get install ${missing[*]}" >&2
            return 1
        fi
        root=(sudo)
    fi
    echo "Installing: ${missing[*]}"
    "${root[@]}" apt-get update
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: configures when needed and builds, with ninja's progress. What another clone on this machine
# has compiled is taken from ccache: paths count from the project's root; precompiled headers need both "sloppiness".
build() {
    local preset=$1
    shift
    export CCACHE_BASEDIR=$PWD CCACHE_SLOPPINESS=pch_defines,time_macros
    cmake --preset "$preset" >"build-$preset.log" 2>&1 || {
        cat "build-$preset.log"
        rm -f "build-$preset.log"
        return 1
    }
    rm -f "build-$preset.log"
    local targets=()
    [ $# -eq 0 ] || targets=(--target "$@")
    cmake --build --preset "$preset" "${targets[@]}"
}
