#include "spikenm/report/csv.h"

#include "support/expect_error.h"

namespace spikenm::report {
namespace {

using Cells = std::vector<std::string>;

TEST(Csv, HasAHeaderAndRowsWithTheirLines) {
  const Csv csv = parse_csv("a,b\n1,\n\n,x y\n", "t.csv");
  EXPECT_EQ(csv.header, (Cells{"a", "b"}));
  ASSERT_EQ(csv.rows.size(), 2u);
  EXPECT_EQ(csv.rows[0].cells, (Cells{"1", ""}));
  EXPECT_EQ(csv.rows[1].cells, (Cells{"", "x y"}));
  EXPECT_EQ(csv.rows[0].line, 2u);
  EXPECT_EQ(csv.rows[1].line, 4u);
  EXPECT_EQ(csv.column("b"), 1u);
  EXPECT_ERROR(csv.column("c"), "t.csv", "'c'", "a, b");
}

TEST(Csv, LineEndsAndAByteOrderMarkDoNotMatter) {
  for (const char* text : {"a,b\r\n1,2\r\n", "a,b\n1,2",
                           "\xEF\xBB\xBF"
                           "a,b\n1,2\n\n"}) {
    const Csv csv = parse_csv(text, "t.csv");
    EXPECT_EQ(csv.header, (Cells{"a", "b"}));
    ASSERT_EQ(csv.rows.size(), 1u);
    EXPECT_EQ(csv.rows[0].cells, (Cells{"1", "2"}));
  }
}

TEST(Csv, QuotedCellsHoldCommasQuotesAndLineEnds) {
  const Csv csv = parse_csv("a,b\n\"x,\"\"y\"\"\",\"1\n2\"\n3,\"\"\n", "t.csv");
  EXPECT_EQ(csv.rows[0].cells, (Cells{"x,\"y\"", "1\n2"}));
  EXPECT_EQ(csv.rows[1].cells, (Cells{"3", ""}));
  EXPECT_EQ(csv.rows[1].line, 4u);
}

TEST(Csv, WhatIsWrittenIsReadBack) {
  const std::vector<Cells> rows{{"h", "i"}, {"a,b", "\"q\""}, {"", "l1\nl2\r\n"}, {"ü", "-1.5"}};
  std::string text;
  for (const Cells& row : rows) text += csv_line(row);
  const Csv csv = parse_csv(text, "t.csv");
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(csv.rows[i - 1].cells, rows[i]);
  EXPECT_EQ(csv_line({"a", "1.5"}), "a,1.5\n");
}

TEST(Csv, ACellIsANumberAsAWholeOrNot) {
  EXPECT_EQ(number_in("-1.5e2"), -150);
  for (const char* cell : {"", "2:4", "1 ", " 1", "abc", "1,5"})
    EXPECT_FALSE(number_in(cell)) << cell;
}

TEST(Csv, BrokenTextIsRefusedWithItsLine) {
  EXPECT_ERROR(parse_csv("", "t.csv"), "t.csv", "column names");
  EXPECT_ERROR(parse_csv("\n\n", "t.csv"), "t.csv", "column names");
  EXPECT_ERROR(parse_csv("a,b\n1\n", "t.csv"), "t.csv:2", "1 cells, wanted 2");
  EXPECT_ERROR(parse_csv("a,b\n1,2,3\n", "t.csv"), "t.csv:2", "3 cells, wanted 2");
  EXPECT_ERROR(parse_csv("a,a\n", "t.csv"), "t.csv:1", "two columns 'a'");
  EXPECT_ERROR(parse_csv("a,b\n1,\"2\n", "t.csv"), "t.csv:2", "no end of a quoted cell");
  EXPECT_ERROR(parse_csv("a,b\n1,2\"\n", "t.csv"), "t.csv:2", "quote inside a cell");
  EXPECT_ERROR(parse_csv("a,b\n\"1\"x,2\n", "t.csv"), "t.csv:2", "after a closing quote");
}

}  // namespace
}  // namespace spikenm::report
