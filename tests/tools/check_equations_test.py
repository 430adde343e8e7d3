"""tools/lint/check_equations.py on small trees."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import check_equations as lint  # noqa: E402

CODE = """\
// Eq. (1): in the comment above.
template <class T>
T charge(T v) {
  return v;
}

void fire(int a,
          int b) {
  charge(a);
  // Eq. (2): inside.
  if (b) {
    a = b;
  }
}

// Eq. (3)-(4): of a class.
class Reset {
  int run();
};

void after();
"""
TEST = """\
TEST(Suite, Charges) {}
TYPED_TEST(
    Suite, Fires) {}
"""


def row(number, home, test="`a/b_test.cpp` `Suite.Charges`"):
    return f"| {number} | what | {home} | {test} |\n"


GOOD = (
    row("1", "`a/b.h` `charge`")
    + row("2", "`a/b.h` `fire`", "`a/b_test.cpp` `Suite.Charges` `Suite.Fires`")
    + row("3–4", "`a/b.h` `Reset`")
    + row("5", "*stated*", "")
)


class CheckEquations(unittest.TestCase):
    def errors(self, table, code=CODE):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in (
                ("docs/method.md", table),
                ("src/spikenm/a/b.h", code),
                ("tests/a/b_test.cpp", TEST),
            ):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return lint.check(root)[0]

    def expect(self, table, *errors, code=CODE):
        self.assertEqual(self.errors(table, code), [f"docs/method.md: {error}" for error in errors])

    def test_the_projects_own_table_holds(self):
        errors, rows, _ = lint.check(ROOT)
        self.assertEqual(errors, [])
        self.assertEqual(rows, 23)

    def test_tags_above_and_inside_what_is_named_are_found(self):
        self.expect(GOOD)

    def test_a_home_without_the_tag_is_an_error(self):
        wanted = "equation 1 names fire of a/b.h, where no tag Eq. (1) stands"
        self.expect(GOOD.replace("`charge`", "`fire`"), wanted)
        # A call of charge() stands before the tag, inside fire: that is not its home.
        wanted = "equation 2 names charge of a/b.h, where no tag Eq. (2) stands"
        self.expect(GOOD.replace("`fire`", "`charge`"), wanted)
        wanted = "equation 1 names after of a/b.h, where no tag Eq. (1) stands"
        self.expect(GOOD.replace("`charge`", "`after`"), wanted)

    def test_a_range_needs_every_tag(self):
        code = CODE.replace("Eq. (3)-(4)", "Eq. (3)")
        self.expect(GOOD, "equation 3 names Reset of a/b.h, where no tag Eq. (4) stands", code=code)

    def test_what_is_not_there_is_an_error(self):
        self.expect(
            GOOD.replace("`a/b.h` `charge`", "`a/c.h` `charge`"),
            "equation 1 names a/c.h, which does not exist",
        )
        self.expect(
            GOOD.replace("`charge`", "`charges`"),
            "equation 1 names charges of a/b.h, which is not there",
        )
        self.expect(
            GOOD.replace("`Suite.Fires`", "`Suite.Rests`"),
            "equation 2 names the test Suite.Rests of a/b_test.cpp, which is not there",
        )
        self.expect(
            GOOD.replace("`a/b_test.cpp` `Suite.Charges` `Suite.Fires`", "`a/c_test.cpp` `Suite.Fires`"),
            "equation 2 names the test file a/c_test.cpp, which does not exist",
        )

    def test_a_file_alone_is_not_enough(self):
        self.expect(GOOD.replace(" `charge`", ""), "equation 1 names no function of a/b.h")
        self.expect(GOOD.replace(" `Suite.Charges` `Suite.Fires`", ""), "equation 2 names no test of a/b_test.cpp")
        self.expect(GOOD.replace("`a/b.h` `charge`", ""), "equation 1 names no home")

    def test_a_tag_without_a_row_is_an_error(self):
        errors = self.errors(GOOD, CODE + "// Eq. (9): of no row.\n")
        self.assertEqual(errors, ["src/spikenm/a/b.h: Eq. (9) has no row in docs/method.md"])


if __name__ == "__main__":
    unittest.main()
