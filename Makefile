# A thin front for CMake: the build itself is in CMakeLists.txt and CMakePresets.json.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all build test asan debug clang fuzz demo bench reveal bless install deps clean

all: build

# Installs what is missing; says nothing and needs no network if all is there.
deps:
	@sh tools/install-deps.sh

build/%/build.ninja: deps
	@test -f $@ || cmake --preset $*

build: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS)

test: build
	@ctest --preset release -j $(JOBS)

debug asan: %: build/%/build.ninja
	@cmake --build --preset $* -j $(JOBS)
	@ctest --preset $* -j $(JOBS)

clang:
	@sh tools/install-deps.sh clang
	@$(MAKE) --no-print-directory build/clang/build.ninja
	@cmake --build --preset clang -j $(JOBS) --target met_program

# Runs every fuzz target for FUZZ_SECONDS; findings stay in build/fuzz/findings, new inputs in build/fuzz/corpus.
fuzz:
	@sh tools/install-deps.sh clang
	@$(MAKE) --no-print-directory build/fuzz/build.ninja
	@cmake --build --preset fuzz -j $(JOBS)
	@sh tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

demo: build
	@PATH="$(CURDIR)/build/release:$$PATH" sh tools/demo.sh

# What met is compared with is installed as far as it can be had; what is missing is reported as absent.
bench: build
	@sh tools/install-deps.sh bench build/release/bench/peers
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target bench -j $(JOBS)
	@sh tools/bench.sh build/release

# Reveals the sums of the libraries that benchmarks compare with, and of plain loops, and writes docs/libraries.md anew.
reveal: build
	@sh tools/install-deps.sh bench build/release/bench/peers
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target reveal_report

# Rewrites the expected output of the golden tests; look at the difference before committing it.
bless: build
	@MET_BLESS=1 ctest --preset release -R '^golden\.|^unit\.test_kernel$$' -j $(JOBS)

# The prefix is part of the build (met.pc, where the program looks for its data), so it is set before building.
install: build/release/build.ninja
	@cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@DESTDIR="$(DESTDIR)" cmake --install build/release

clean:
	rm -rf build
