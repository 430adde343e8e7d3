"""Commands run one after another, each under a limit; a failure is kept, never raised."""

import os
import shlex
import signal
import subprocess
import sys
import time


class Stages:
    """Runs commands in `folder`, one log each in `logs`; `all` holds how each of them ended."""

    def __init__(self, logs, folder):
        self.logs, self.folder, self.all = logs, folder, []
        self.logs.mkdir(parents=True, exist_ok=True)

    def run(self, name, command, limit_s, **environment):
        """What the command printed, and its stage, whose `failure` is empty where all went well."""
        command = [str(part) for part in command]
        print(f"{name}: {shlex.join(command)}", file=sys.stderr, flush=True)
        start, output, errors = time.monotonic(), "", ""
        try:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env={**os.environ, **environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            try:
                output, errors = process.communicate(timeout=limit_s)
                failure = f"exit {process.returncode}" if process.returncode else ""
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # its children too
                output, errors = process.communicate()
                failure = f"not done after {limit_s} s"
        except OSError as error:
            failure = str(error)
        log = f"{len(self.all):02d} {name}.log".replace(" ", "_")
        (self.logs / log).write_text(output + errors)
        last_words = (errors.strip() or output.strip()).splitlines()[-1:]
        stage = {
            "name": name,
            "command": shlex.join(command),
            "seconds": round(time.monotonic() - start, 1),
            "result": "",
            "failure": ": ".join([failure, *(w[:200] for w in last_words)]) if failure else "",
        }
        self.all.append(stage)
        return output, stage

    def failed(self):
        return any(stage["failure"] for stage in self.all)

    def table(self):
        """(name, outcome) of the stages that have something to tell."""
        rows = []
        for stage in self.all:
            failure = f"failed: {stage['failure']}" if stage["failure"] else ""
            told = [text for text in (stage["result"], failure) if text]
            if told:
                rows.append((stage["name"], "; ".join(told)))
        return rows
