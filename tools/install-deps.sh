#!/bin/sh
# Installs what the build needs and this machine lacks. usage: install-deps.sh [clang]
# Quiet, quick and without network if nothing is missing.
set -eu

missing=
need_command() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_library() {
    if ! command -v pkg-config >/dev/null 2>&1 || ! pkg-config --exists "$1"; then missing="$missing $2"; fi
}

need_command cc gcc
need_command c++ g++
need_command cmake cmake
need_command ninja ninja-build
need_command pkg-config pkg-config
need_library jansson libjansson-dev
need_library tomlplusplus libtomlplusplus-dev
need_library libmd libmd-dev
need_library cmocka libcmocka-dev
if [ "${1-}" = clang ]; then
    need_command clang clang
    # clang only recommends its runtimes, of sanitizers and of the fuzzer
    if ! command -v clang >/dev/null 2>&1 || [ ! -f "$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ]; then
        missing="$missing libclang-rt-dev"
    fi
fi
[ -n "$missing" ] || exit 0

echo "met: missing (by Debian package name):$missing"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "met: no apt-get here; install these with your package manager, then run make again" >&2
    exit 3
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "met: neither root nor sudo; ask for: apt-get install$missing" >&2
        exit 3
    fi
    as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
install() { $as_root apt-get install -y --no-install-recommends $missing >/dev/null; }
echo "met: installing them with apt-get"
# The package lists of a fresh machine are empty or old: try once without, then with an update.
if ! install 2>/dev/null; then
    $as_root apt-get update >/dev/null
    install
fi
