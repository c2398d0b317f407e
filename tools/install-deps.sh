#!/bin/sh
# Installs what the build needs and this machine lacks. usage: install-deps.sh [clang | bench PEERS_DIR]
# Quiet, quick and without network if nothing is missing.
set -eu

what=${1-}
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
need_library sqlite3 libsqlite3-dev
need_library libffi libffi-dev
need_library cmocka libcmocka-dev
need_library mpfr libmpfr-dev
if [ "$what" = clang ]; then
    need_command clang clang
    # clang only recommends its runtimes, of sanitizers and of the fuzzer
    if ! command -v clang >/dev/null 2>&1 || [ ! -f "$(clang -print-file-name="libclang_rt.fuzzer-$(uname -m).a")" ]; then
        missing="$missing libclang-rt-dev"
    fi
fi
# What benchmarks compare with. None of it is needed: what cannot be had is left out, and they say so.
need_shared() { PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep -q "$1" || missing="$missing $2"; }
if [ "$what" = bench ]; then
    needed=$missing
    need_shared libopenblas.so.0 libopenblas0-openmp
    need_shared libblis.so.4 libblis4-openmp
    need_command gappa gappa
    [ -f /usr/include/dnnl.h ] || missing="$missing libdnnl-dev"
    # ONNX Runtime is in no Debian release of ours; its Python package brings the C library
    if ! ls "$2"/onnxruntime/capi/libonnxruntime.so.* >/dev/null 2>&1 && command -v python3 >/dev/null 2>&1; then
        echo "met: fetching the Python package onnxruntime into $2"
        python3 -m pip install --quiet --disable-pip-version-check --no-deps --root-user-action=ignore --target "$2" \
            onnxruntime ||
            echo "met: could not; benchmarks run without it" >&2
    fi
fi
[ -n "$missing" ] || exit 0

echo "met: missing (by Debian package name):$missing"
give_up() {
    echo "met: $1" >&2
    [ "$what:${needed-}" != bench: ] || exit 0 # only peers are missing
    exit 3
}
if ! command -v apt-get >/dev/null 2>&1; then
    give_up "no apt-get here; install these with your package manager, then run make again"
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        give_up "neither root nor sudo; ask for: apt-get install$missing"
    fi
    as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
install() { $as_root apt-get install -y --no-install-recommends $missing >/dev/null; }
echo "met: installing them with apt-get"
# The package lists of a fresh machine are empty or old: try once without, then with an update.
if ! install 2>/dev/null; then
    $as_root apt-get update >/dev/null
    install || give_up "apt-get has failed"
fi
