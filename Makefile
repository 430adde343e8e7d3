# The commands of the project. Every target installs what is missing (tools/setup), then does only what changed.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: build demo test report-check faults sanitize tsan fuzz bench results docs lint tidy format cuda-check python python-all wheel setup clean help

export CCACHE_DIR := $(CURDIR)/.ccache
# Warnings stop CI, not a newcomer whose compiler is newer than ours.
WERROR := -DSPIKENM_WERROR=$(if $(CI),ON,OFF)
VENV_PATH := PATH="$(CURDIR)/.venv/bin:$$PATH"
PYTHON_PATH := PATH="$(CURDIR)/.venv-python/bin:$$PATH"
# The user's own Python is asked for torch before .venv is put in front of it.
CONFIGURE = $(VENV_PATH) cmake --preset default $(WERROR) -DSPIKENM_TORCH="$$(python3 tools/find_torch.py)"
SOURCES = $$(git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh')

build: setup ## build the program, build/spikenm
	@$(CONFIGURE) -DSPIKENM_TESTS=OFF -DSPIKENM_BENCH=OFF
	@$(VENV_PATH) cmake --build --preset default

demo: build ## train dense, random 2:8 and SpikeNM 2:8 on built-in data and compare them
	@./build/spikenm demo --force

test: setup ## build and run all tests
	@$(CONFIGURE) -DSPIKENM_TESTS=ON -DSPIKENM_BENCH=ON
	@$(VENV_PATH) cmake --build --preset default
	@$(VENV_PATH) ctest --preset default

faults: setup ## whole runs with every call on their files gone wrong, and SPIKENM_KILLS (200) kills at random moments
	@$(CONFIGURE) -DSPIKENM_TESTS=ON
	@$(VENV_PATH) cmake --build --preset default --target faults_tests train_faults_tests cli_tests
	@build/tests/faults_tests
	@SPIKENM_FAULTS=all build/tests/train_faults_tests
	@SPIKENM_KILLS=$${SPIKENM_KILLS:-200} build/tests/cli_tests --gtest_filter='*ThatIsKilledAtAnyMoment*'

report-check: build ## train a little, write a report, open it in headless Chromium and check what it shows
	@tools/setup browser
	@build/spikenm demo --force --out build/report-check/demo data.train_size=300 data.test_size=100 train.epochs=2 checkpoints.every_epochs=1 >/dev/null
	@build/spikenm report build/report-check/demo -o build/report-check/report.html
	@python3 tools/check_report.py build/report-check/report.html build/report-check

sanitize: setup ## run the torch-free tests under address and undefined-behaviour sanitizers
	@$(VENV_PATH) cmake --preset asan
	@$(VENV_PATH) cmake --build --preset asan
	@$(VENV_PATH) ctest --preset asan

# Some tests fork and start threads in the child. Without those that measure time or memory, and a loop over every float on one thread.
tsan: setup ## run the torch-free tests of what runs on several threads, under the thread sanitizer
	@$(VENV_PATH) cmake --preset tsan
	@$(VENV_PATH) cmake --build --preset tsan
	@for program in core kernels runtime data_transforms data; do TSAN_OPTIONS=die_after_fork=0 build-tsan/tests/$${program}_tests --gtest_brief=1 --gtest_filter=-Gumbel.*:SafetensorsWrite.MakesNoCopy*:*LinearTime || exit 1; done

fuzz: ## fuzz every parser for a minute, under the sanitizers (clang); MODE=long: 10^6 inputs, 2,000 through the program
	@tools/setup fuzz
	@$(VENV_PATH) cmake --preset fuzz
	@$(VENV_PATH) cmake --build --preset fuzz
	@fuzz/run $(if $(filter long,$(MODE)),long,60)
ifeq ($(MODE),long)
	@$(MAKE) --no-print-directory build
	@python3 fuzz/program/run.py build/spikenm --inputs 2000
endif

bench: setup ## run the benchmarks
	@$(CONFIGURE) -DSPIKENM_BENCH=ON
	@$(VENV_PATH) cmake --build --preset default
	@for program in build/bench/*_bench; do ./$$program || exit 1; done

results: build ## make the tables of docs/results.md and docs/methods.md, and the pictures of docs/results, from its CSV files
	@python3 tools/results.py --pictures build/spikenm
	@python3 tools/method_costs.py

docs: ## make the site of docs/ in build-docs; a link that leads nowhere is an error, and so is a page that loads from the network
	@tools/setup docs
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --clean --strict
	@python3 tools/check_site.py build-docs
	@echo "docs: build-docs/index.html"

lint: setup ## check format, layers, equation tags, lists of tests, config keys, output, writes
	@$(VENV_PATH) clang-format --dry-run --Werror $(SOURCES)
	@python3 tools/lint/check_layers.py
	@python3 tools/lint/check_equations.py
	@python3 tools/lint/check_test_lists.py
	@python3 tools/lint/check_keys.py
	@python3 tools/lint/check_keys_page.py
	@python3 tools/lint/check_output.py
	@python3 tools/lint/check_writes.py

tidy: setup ## clang-tidy over all torch-free sources
	@$(VENV_PATH) cmake --preset run-only >/dev/null
	@$(VENV_PATH) cmake --build build-run-only --target spikenm_commit >/dev/null
	@sed -n 's/^  "file": "\(.*\)",$$/\1/p' build-run-only/compile_commands.json | \
	  $(VENV_PATH) xargs -P "$$(nproc)" -n 1 clang-tidy --quiet -p build-run-only
	@echo "tidy: ok"

format: setup ## format every source file
	@$(VENV_PATH) clang-format -i $(SOURCES)

cuda-check: ## configure for CUDA and compile every .cu file, no GPU needed
	@tools/setup nvcc
	@tools/compile_cuda

python: build wheel ## install that wheel into .venv-python and run its tests, with and without torch
	@tools/setup_python .venv-python python3 build
	@.venv-python/bin/pip install --quiet --no-deps --force-reinstall build-python/dist/*.whl
	@SPIKENM_PROGRAM=$(CURDIR)/build/spikenm LD_LIBRARY_PATH=$(CURDIR)/.venv-python/stubs .venv-python/bin/python -m pytest -q python/tests

python-all: python ## that wheel on every Python from 3.10 to 3.13 that is found, without torch, and beside a newer torch
	@tools/test_pythons

wheel: setup ## a wheel for Linux, build-python/dist: the libraries it links inside, those of torch and OpenMP left out
	@tools/setup_python
	@rm -rf build-python/wheel build-python/dist
	@CC=cc CXX=c++ PIP_CONSTRAINT=$(CURDIR)/tools/requirements-python.txt $(PYTHON_PATH) pip wheel --quiet --no-deps -w build-python/wheel --config-settings=cmake.define.$(WERROR:-D%=%) .
	@$(PYTHON_PATH) auditwheel repair $(addprefix --exclude ,'libtorch*' 'libc10*' 'libgomp*') -w build-python/dist build-python/wheel/*.whl >build-python/auditwheel.log 2>&1 || { cat build-python/auditwheel.log; exit 1; }
	@ls build-python/dist/*.whl

setup: ## install Debian packages and .venv, if missing
	@tools/setup

clean: ## remove everything built (not .venv)
	@rm -rf build build-* .ccache

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12
