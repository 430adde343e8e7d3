#!/usr/bin/env python3
"""Damaged files through the program itself: each ends with a sentence, soon, and in little memory.

fuzz/program/run.py PROGRAM [--inputs 2000] [--seed 1] [--jobs 2] [--finds FOLDER]

A find is a crash (a signal, exit 70, or any code but 0 to 3), 5 s of processor time, more than 1 GB, a failure
without a sentence, or a raw control character in what is said. Finds are kept; any ends this with status 1.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import mutate
import seeds

MOST_SECONDS, MOST_MEGABYTES = 5, 1024
PATIENCE = 60  # seconds by the clock: the machine may have other work


def limit_process():
    resource.setrlimit(resource.RLIMIT_CPU, (4 * MOST_SECONDS, 4 * MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))


def wait(process):
    """Exit code (negative: a signal, None: it took too long), processor seconds, megabytes."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        time.sleep(0.005)
    process.kill()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return None, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ask(command, folder, said):
    """What wait() returns. A process that got no processor time is run once more: the machine was busy, not the process."""
    for _ in range(2):
        with said.open("wb") as out:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=folder,
                                       preexec_fn=limit_process)
            code, seconds, megabytes = wait(process)
        if code is not None or seconds > 1:
            break
    return code, seconds, megabytes


def problem_of(code, seconds, megabytes, said):
    if code is None or seconds > MOST_SECONDS:
        return "hang"
    if code not in (0, 1, 2, 3):
        return "crash"
    if megabytes > MOST_MEGABYTES or b"out of memory" in said:
        return "memory"
    if code != 0 and not said.strip():
        return "silence"
    if any(byte < 32 and byte not in b"\n\t" or byte == 127 for byte in said):
        return "control character"
    return ""


def try_one(program, seed, number, seed_number, finds):
    draw = random.Random(f"{seed_number} {number}")
    with tempfile.TemporaryDirectory() as folder:
        files = dict(seed.files)
        if seed.kind != "bomb":
            target = draw.choice(seed.targets)
            files[target] = mutate.mutate(draw, files[target])
        for name, content in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        command = [program] + [part.replace("{}", folder) for part in seed.command]
        said = pathlib.Path(folder, ".said")
        code, seconds, megabytes = ask(command, folder, said)
        problem = problem_of(code, seconds, megabytes, said.read_bytes())
        if problem:
            kept = finds / f"{seed.kind}-{number}"
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            words = " ".join(command).replace(folder, str(kept))
            print(f"{problem}: exit {code}, {seconds:.1f} s, {megabytes:.0f} MB: {words}", flush=True)
    return seed.kind, problem, code, seconds, megabytes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--finds", type=pathlib.Path, default=pathlib.Path("build/program-finds"))
    options = parser.parse_args()
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    options.finds.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        kinds = [list(seeds.bombs()), list(seeds.event_files()), list(seeds.datasets()), list(seeds.configs()),
                 list(seeds.runs(options.program, pathlib.Path(work)))]
        # Every bomb once, then each kind in turn.
        turns = itertools.chain(kinds[0], (kind[i % len(kind)] for i in itertools.count() for kind in kinds[1:]))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(lambda at: try_one(options.program, at[1], at[0], options.seed, options.finds),
                                  enumerate(itertools.islice(turns, options.inputs))))
    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
    problems = collections.Counter(row[1] for row in found if row[1])
    codes = collections.Counter(row[2] for row in found)
    print(f"{len(found)} inputs through the program: {problems['crash']} crashes, {problems['hang']} hangs, "
          f"{problems['memory']} over {MOST_MEGABYTES} MB, {problems['silence']} without a sentence, "
          f"{problems['control character']} with control characters")
    print(f"exit codes {dict(sorted(codes.items(), key=str))}; slowest {max(row[3] for row in found):.1f} s, "
          f"largest {max(row[4] for row in found):.0f} MB; kinds {dict(collections.Counter(row[0] for row in found))}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
