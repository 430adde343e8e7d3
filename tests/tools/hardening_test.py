"""Reads the ELF files of what was built: no library comes from the working directory, and the flags of cmake/harden.cmake
have reached every program.

hardening_test.py SHIPPED FOLDER...: the folder of the programs that ship, and folders with other programs.
"""
import pathlib
import struct
import sys

PT_DYNAMIC, PT_LOAD, PT_GNU_RELRO = 2, 1, 0x6474E552
DT_STRTAB, DT_RPATH, DT_RUNPATH, DT_FLAGS, DT_FLAGS_1, DT_BIND_NOW = 5, 15, 29, 30, 0x6FFFFFFB, 24
SHT_SYMTAB, SHT_DYNSYM = 2, 11
GLOBAL_FUNCTION, WEAK_FUNCTION = 0x12, 0x22
ENDBR64 = b"\xf3\x0f\x1e\xfa"
EM_X86_64 = 62


class Elf:
    """A 64-bit little-endian ELF file, as far as the checks need it."""

    def __init__(self, path):
        self.data = path.read_bytes()
        head = struct.unpack_from("<HHIQQQIHHHHHH", self.data, 16)
        self.type, self.machine = head[0], head[1]
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.data, head[4] + i * head[8]) for i in range(head[9])]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, head[5] + i * head[10]) for i in range(head[11])]
        self.dynamic = []
        for segment in self.segments:
            if segment[0] == PT_DYNAMIC:
                for at in range(segment[2], segment[2] + segment[5], 16):
                    self.dynamic.append(struct.unpack_from("<qQ", self.data, at))

    def string(self, at):
        return self.data[at : self.data.index(b"\0", at)].decode()

    def offset(self, address):
        for kind, _, offset, virtual, _, size, _, _ in self.segments:
            if kind == PT_LOAD and virtual <= address < virtual + size:
                return offset + address - virtual
        raise ValueError(f"address {address:#x} lies in no segment")

    def symbols(self, kind):
        """Name, address (0: imported) and info byte (binding and type) of every symbol."""
        for section in self.sections:
            if section[1] == kind:
                names = self.sections[section[6]][4]
                for at in range(section[4], section[4] + section[5], 24):
                    name, info, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                    yield self.string(names + name), value, info

    def run_paths(self):
        """The text of every RPATH and RUNPATH."""
        strings = next(self.offset(value) for tag, value in self.dynamic if tag == DT_STRTAB)
        return [self.string(strings + value) for tag, value in self.dynamic if tag in (DT_RPATH, DT_RUNPATH)]

    def binds_now(self):
        return any(
            tag == DT_BIND_NOW or (tag == DT_FLAGS and value & 8) or (tag == DT_FLAGS_1 and value & 1)
            for tag, value in self.dynamic
        )


def problems(elf, ships):
    """What is wrong with a program, a sentence each."""
    for path in elf.run_paths():
        if any(not element.startswith("/") and not element.startswith("$ORIGIN") for element in path.split(":")):
            yield f"its RPATH '{path}' has an element that is empty or relative"
    if elf.type != 3:
        yield "it is not position-independent"
    if not any(segment[0] == PT_GNU_RELRO for segment in elf.segments) or not elf.binds_now():
        yield "it has no full RELRO: wanted -z relro and -z now"
    imports = {name for name, value, _ in elf.symbols(SHT_DYNSYM) if value == 0}
    if "__stack_chk_fail" not in imports:
        yield "it imports no __stack_chk_fail: wanted -fstack-protector-strong"
    if ships and not any(name.startswith("__") and name.endswith("_chk") for name in imports):
        yield "it imports no checked function: wanted -D_FORTIFY_SOURCE=2"
    if elf.machine == EM_X86_64:
        # Of a test, main is the library's.
        entries = [
            (name, value)
            for name, value, info in elf.symbols(SHT_SYMTAB)
            if value and info in (GLOBAL_FUNCTION, WEAK_FUNCTION) and ("7spikenm" in name or (ships and name == "main"))
        ]
        if not entries:
            yield "it has no function of ours to look at"
        for name, value in entries:
            if elf.data[elf.offset(value) :][:4] != ENDBR64:
                yield f"{name} does not begin with endbr64: wanted -fcf-protection"
                break


def is_elf(path):
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def programs(folder):
    return [path for path in sorted(folder.iterdir()) if is_elf(path)]


def main():
    shipped = programs(pathlib.Path(sys.argv[1]))
    assert {"spikenm", "spikenm-run", "spikenm-train"} <= {p.name for p in shipped}, "found not all programs that ship"
    others = [p for folder in filter(None, sys.argv[2:]) for p in programs(pathlib.Path(folder))]
    assert others, "found no program in the folders given"
    errors = [f"{p}: {what}" for p in [*shipped, *others] for what in problems(Elf(p), ships=p in shipped)]
    print("\n".join(errors) if errors else f"hardening: ok, {len(shipped) + len(others)} programs")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
