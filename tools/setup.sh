# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by ./demo, ./check and tools/: installs what is missing, configures, builds, and says how long is left. Source it
# from the project's root.
set -euo pipefail

# Names of Debian 12; renamed_packages tells those of other releases.
packages=(
    # tools
    build-essential cmake ninja-build pkg-config git ca-certificates ccache
    # engine
    libopenblas-pthread-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libyaml-cpp-dev libicu-dev
    libdnnl-dev libhwy-dev libxxhash-dev libsentencepiece-dev libhwloc-dev libcli11-dev libopenmpi-dev openmpi-bin
    libvulkan-dev glslang-tools
    libeigen3-dev libavcodec-dev libavformat-dev libavutil-dev libswresample-dev libswscale-dev libwebp-dev
    libcurl4-openssl-dev libssl-dev libmicrohttpd-dev
)
studio_packages=(
    # Qt6Charts' CMake files need libqt6opengl6-dev, which is only recommended
    qt6-base-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools linguist-qt6 qt6-charts-dev libqt6opengl6-dev
    qt6-svg-dev libqt6svg6 libgl1-mesa-dev qt6-qpa-plugins qt6-translations-l10n
    # fonts for Latin and CJK labels
    fonts-dejavu-core fonts-noto-cjk
)
test_packages=(
    libgtest-dev libgmock-dev librapidcheck-dev python3 iproute2
    desktop-file-utils appstream dbus-daemon
    # a GPU in software
    mesa-vulkan-drivers vulkan-validationlayers
)

# Releases by their codename, and what each calls a package otherwise. Elsewhere nothing is installed: the list is printed.
known_releases="bookworm trixie noble resolute"  # Debian 12, Debian 13, Ubuntu 24.04, Ubuntu 26.04
renamed_packages="
trixie  libqt6opengl6-dev   qt6-base-dev
noble   libqt6opengl6-dev   qt6-base-dev
resolute  libqt6opengl6-dev  qt6-base-dev
trixie  libclang-rt-14-dev  libclang-rt-19-dev
noble   libclang-rt-14-dev  libclang-rt-18-dev
resolute  libclang-rt-14-dev  libclang-rt-21-dev
"
# What cannot be told by CMake, as CMake needs it.
needed_programs="c++ cmake ninja pkg-config"

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

# Names the step that failed; `step` is kept up to date by begin().
step="start"
begin() {
    step="$*"
    say "$step"
}
trap 'code=$?; [ $code -eq 0 ] || [ "${step}" = run ] || printf "\nFailed while: %s (exit %s). The lines above say why.\n" "$step" "$code" >&2' EXIT

# This system's codename, of the release that it is made from where it says so (Linux Mint 22 is "noble").
release_name() {
    # shellcheck source=/dev/null
    (. "${MESHREEL_OS_RELEASE:-/etc/os-release}" 2>/dev/null
     echo "${UBUNTU_CODENAME:-${DEBIAN_CODENAME:-${VERSION_CODENAME:-unknown}}}")
}

# names_here NAME...: each once, as this release calls it.
names_here() {
    local release
    release=$(release_name)
    printf '%s\n' "$@" | awk -v release="$release" -v table="$renamed_packages" '
        BEGIN { for (rows = split(table, row, "\n"); rows > 0; --rows)
                    if (split(row[rows], word, " ") == 3 && word[1] == release) name[word[2]] = word[3] }
        { here = $1 in name ? name[$1] : $1 }
        !seen[here]++ { print here }'
}

install_packages() {
    local missing=() name names
    if [[ " $known_releases " != *" $(release_name) "* ]]; then
        list_packages "$@"
        return
    fi
    names=$(names_here "$@")
    for name in $names; do
        dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        echo "All $(wc -w <<<"$names") packages are installed."
        return
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

# Where this script knows no names: what is needed, and on with what is there. CMake names what it misses.
list_packages() {
    local program missing=()
    echo "Packages are installed on Debian 12, Debian 13, Ubuntu 24.04 and Ubuntu 26.04 only. Needed here is what these hold there:"
    fold -sw 110 <<<"$*" | sed 's/^/  /; s/ *$//'
    for program in $needed_programs; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "These programs are not here: ${missing[*]}. Install the list by your system's names and run this again." >&2
        return 1
    fi
    echo "Going on with what is installed."
}

# As many compilers as there are CPUs, and as fit into memory: one takes up to 1.4 GiB.
jobs=$(awk -v cpus="$(nproc)" '/^MemTotal/ { fit = int($2 / 1468006); print fit < 1 ? 1 : fit < cpus ? fit : cpus }' \
    /proc/meminfo)

number_of_jobs() {
    [[ $1 =~ ^[1-9][0-9]*$ ]] || {
        echo "--jobs takes the number of compilers to run at a time, 1 or more, not \"$1\"." >&2
        exit 2
    }
    echo "$1"
}

# configure PRESET [CMAKE ARGUMENT...]: prints CMake's output only when it fails.
configure() {
    local log
    log=$(mktemp)
    cmake --preset "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        rm -f "$log"
        return 1
    }
    rm -f "$log"
}

# build PRESET [TARGET...]: builds with $jobs compilers at a time. What another clone on this machine has compiled is taken
# from ccache: paths count from the project's root; precompiled headers need both "sloppiness".
build() {
    local preset=$1 folder=build/$1
    shift
    case "$preset" in
        quick) folder=build/release ;;
        package) folder=build/package-programs ;;
    esac
    local targets=()
    [ $# -eq 0 ] || targets=(--target "$@")
    CCACHE_BASEDIR=$PWD CCACHE_SLOPPINESS=pch_defines,time_macros NINJA_STATUS="%f of %t " \
        cmake --build --preset "$preset" --parallel "$jobs" "${targets[@]}" | build_progress "$folder" "$@"
}

# build_progress FOLDER [TARGET...]: ninja's lines as one that says how long is left: rewritten in place on a terminal, printed every
# ten seconds elsewhere. Whatever else a build prints is passed on.
build_progress() {
    local line start=$SECONDS shown=-1 done total text="" place="" folder=$1 scratch every=10
    shift
    [ ! -t 1 ] || place=$'\r\033[K' every=1
    scratch=$(mktemp -d)
    # By another name, so that ninja does not ask CMake first.
    cp "$folder/build.ninja" "$scratch/build.ninja"
    NINJA_STATUS="" ninja -C "$folder" -n -f "$scratch/build.ninja" "$@" >"$scratch/plan" 2>/dev/null || true
    sed -i '/^ninja: /d' "$scratch/plan"
    : >"$scratch/done"
    while IFS= read -r line; do
        if [[ ! $line =~ ^([0-9]+)\ of\ ([0-9]+)\ (.*) ]]; then
            [ "$line" = "ninja: no work to do." ] || printf '%s%s\n' "$place" "$line"
            continue
        fi
        done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        echo "${BASH_REMATCH[3]}" >>"$scratch/done"
        if [ $((SECONDS - start)) -ge $((shown + every)) ] || [ "$done" -eq "$total" ]; then
            shown=$((SECONDS - start))
            text="Building: $done of $total"
            [ "$done" -eq "$total" ] || text+=$(time_left "$shown" "$folder" "$scratch")
            printf '%s%s' "$place" "$text"
            [ -n "$place" ] || echo
        fi
    done
    [ -z "$place" ] || echo
    rm -rf "$scratch"
}

# time_left ELAPSED FOLDER SCRATCH: in words, once there is a plan and something to measure this machine by.
time_left() {
    local left
    [ "$1" -ge 5 ] && [ -s "$3/plan" ] || return 0
    left=$(awk -v jobs="$jobs" -v elapsed="$1" -f tools/time-left.awk tools/unit-costs "$3/plan" "$3/done" "$2/.ninja_log") || return 0
    if [ "$left" -lt 60 ]; then
        echo ", less than a minute left"
    elif [ "$left" -lt 90 ]; then
        echo ", about a minute left"
    else
        echo ", about $(((left + 30) / 60)) minutes left"
    fi
}
