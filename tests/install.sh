#!/bin/sh
# What is installed is enough: examples/attention.c compiles and runs with what pkg-config says, away from the tree.
# usage: install.sh ROOT BUILD CC
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
DESTDIR=$scratch cmake --install "$2" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
pc=$(find "$scratch" -name met.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$scratch
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
cp "$1/examples/attention.c" "$scratch"
cd "$scratch"
# shellcheck disable=SC2046 # several words are meant
"$3" attention.c $(pkg-config --cflags --libs met) -o attention
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")") ./attention >/dev/null
