"""Objects compiled for AVX2 or AVX-512 hold no function that the linker may share. isa_objects_test.py NM OBJECT…

An inline function, or one of a template, is in each object that uses it, and the linker keeps one of them for all. Were it
that of an instruction-set file, the program would end with an illegal instruction on processors that lack the set.
"""
import subprocess
import sys

WEAK = set("VWuvw")


def main(nm, *objects):
    chosen = [path for path in objects if path.endswith(("_avx2.cpp.o", "_avx512.cpp.o"))]
    if not chosen:
        sys.exit("found no object of an instruction-set file, wanted some")
    found = []
    for path in chosen:
        for line in subprocess.run((nm, "-C", path), check=True, capture_output=True, text=True).stdout.splitlines():
            kind, name = line[17:].split(" ", 1)
            if kind in WEAK:
                found.append(f"{path}: {name}")
    print("\n".join(found) or f"{len(chosen)} objects share nothing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
