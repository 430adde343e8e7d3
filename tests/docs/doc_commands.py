"""The commands that a Markdown page shows: in code blocks, and in sentences."""
import re
import shlex
from typing import NamedTuple

# How a line begins that is typed into a shell.
TYPED = re.compile(
    r"(?:\$ )?(?P<line>(?:[A-Z_]+=\S+ )*(?P<program>(?:build[\w-]*/)?spikenm(?:-run)?|build[\w-]*/(?:bench|examples)/\w+|"
    r"(?:\.venv[\w-]*/bin/)?(?:python3?|pip)|/usr/bin/time|make|cmake|ctest|tensorboard|readelf|pytest|tools/[\w.]+|fuzz/run|\.ci/run)(?: .*)?)$"
)
# A word that stands for something else; DIR alone is the reader's data, and the command is whole.
PLACEHOLDER = re.compile(r"(?!DIR$)[A-Z]+\d?…?(/.*)?|.*[…<].*|\[-.*")


class Command(NamedTuple):
    text: str  # without its comment
    inline: bool  # in a sentence
    interrupted: bool = False  # ^C stands below it

    @property
    def words(self):
        """Of the command alone: no prompt, no variables before it, no pipe or file behind it."""
        words = shlex.split(self.text)
        while re.match(r"[A-Z_]+=", words[0]):
            words = words[1:]
        return words[: min((i for i, word in enumerate(words) if word in (">", "|")), default=len(words))]

    @property
    def into(self):
        """The file behind >; else an empty text."""
        words = shlex.split(self.text)
        return words[words.index(">") + 1] if ">" in words else ""

    @property
    def program(self):
        """spikenm and spikenm-run, wherever they lie; else the first word."""
        own = re.fullmatch(r"(?:build[\w-]*/)?(spikenm(?:-run)?)", self.words[0])
        return own[1] if own else self.words[0]

    @property
    def is_ours(self):
        return self.program in ("spikenm", "spikenm-run")

    @property
    def is_form(self):
        """The form of a command, not one to type."""
        return any(PLACEHOLDER.fullmatch(word) for word in self.words)

    @property
    def is_name(self):
        """Only what a command is called, as in 'spikenm data check'."""
        words = self.words[1:]
        return self.inline and self.is_ours and words[0] not in ("list", "keys") and all(re.fullmatch(r"[a-z]+", word) for word in words) and len(words) < 3


def blocks(text):
    """(language, lines) of every code block, fenced or indented (None), with continued lines joined."""
    found, fence, held = [], None, ""
    for line in [*text.splitlines(), ""]:
        mark = re.match(r"```(\w*)", line)
        if mark:
            fence = None if fence is not None else mark[1]
            found.append((mark[1], []))
        elif fence is not None or line.startswith("    "):
            if fence is None and (not found or found[-1][0] is not None):
                found.append((None, []))
            held += line.strip()
            if held.endswith("\\"):
                held = held[:-1]
                continue
            found[-1][1].append(held)
            held = ""
        elif fence is None:
            found.append(("", []))
    return [(language, lines) for language, lines in found if lines]


def without_comment(line):
    return re.sub(r"\s+#(?: .*)?$", "", line).strip()


def typed(line, inline):
    """The commands of a line, joined by && or not; none where it is what a program prints."""
    found = []
    for part in without_comment(line).split(" && "):
        match = TYPED.match(part)
        if match and not re.match(r"spikenm +\d", part):  # a row of a printed table
            found.append(Command(match["line"], inline))
    return found


def commands(text):
    """Every command of a page in its order, those in sentences too; each as often as it is shown."""
    at, places = 0, []  # (where it stands, command)
    for language, lines in blocks(text):
        for line in lines:
            if language in ("sh", "", None):
                where = text.find(line.split("\\")[0][:40], at)
                at = max(at, where)
                if line == "^C":
                    places[-1] = (places[-1][0], places[-1][1]._replace(interrupted=True))
                places += [(at, command) for command in typed(line, inline=False)]
    sentences = re.sub(r"```.*?```", lambda fenced: " " * len(fenced[0]), text, flags=re.DOTALL)
    for code in re.finditer(r"`([^`\n]+)`", sentences):
        if " " in code[1]:
            places += [(code.start(), command) for command in typed(code[1], inline=True)]
    return [command for _, command in sorted(places, key=lambda place: place[0])]


def unknown_lines(text):
    """Lines of sh blocks that are no commands known here."""
    lines = [without_comment(line) for language, block in blocks(text) if language == "sh" for line in block]
    return [line for line in lines if line and not line.startswith("#") and not typed(line, False) and not line.startswith("export PATH=")]


def files(text):
    """(name, content) of the files that a page shows: the name stands in the sentence before the block."""
    return re.findall(r"`([\w-]+\.toml)`[^\n`]*:\n\n```toml\n(.*?)```", text, re.DOTALL)


def shown_configs(text):
    """Every block of TOML."""
    return re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
