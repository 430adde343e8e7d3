// 'spikenm plot', 'report', 'spikes' and 'watch' as a user sees them.
#include "spikenm/core/file.h"
#include "support/cli.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

using test::has;
using test::Outcome;

class PlotCli : public test::Cli {};

TEST_F(PlotCli, ATrainedRunHasEveryPicture) {
  const Outcome trained =
      run(tiny({"train", "--out", "r"}, {"method.pattern=2:4", "checkpoints.every_epochs=1"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  for (const std::string kind : {"curves", "masks", "confusion", "spikes", "points"}) {
    const Outcome drawn = run({"plot", kind, "r", "-o", kind + ".svg"});
    EXPECT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_EQ(drawn.out, kind + ".svg\n");
    EXPECT_TRUE(read_file(dir / (kind + ".svg")).starts_with("<svg")) << kind;
  }
  EXPECT_TRUE(has(read_file(dir / "masks.svg"), ">epoch 1<"));
  for (const std::string kind : {"masks", "spikes"}) {
    EXPECT_EQ(run({"plot", kind, "r", "r", "-o", "two.svg"}).code, 0);
    EXPECT_TRUE(has(read_file(dir / "two.svg"), "<svg y=")) << "one below the other";
  }
  EXPECT_TRUE(has(read_file(dir / "spikes.svg"), ">lif_conv1<"));
  expect_failure({"plot", "spikes", "r", "--sample", "600", "-o", "x.svg"}, 1,
                 {"--sample: found 600, wanted 0 to "});

  const Outcome page = run({"report", "r", "-o", "r.html"});
  EXPECT_EQ(page.code, 0) << page.err;
  const std::string html = read_file(dir / "r.html");
  for (const char* id : {"table", "curves", "masks", "rates", "confusion", "spikes", "runs"})
    EXPECT_TRUE(has(html, "<section id=\"" + std::string(id) + "\">")) << id;
  EXPECT_EQ(page.out, "r.html: 1 run\n");
  for (const std::string set : {"nonsense=1", "model.T=abc"})
    expect_failure({"report", "r", "-o", "x.html", "--set", set}, 1,
                   {set.substr(0, set.find('=')) + ": "});
  expect_failure({"report", "r", "-o", "x.html", "--set", "model.T"}, 2, {"'model.T'"});
  expect_failure({"report", "r", "-o", "x.html", "--sample", "600"}, 1, {"--sample: found 600"});
  expect_failure({"report", "r", "-o", "x.pdf"}, 1, {"x.pdf", ".html"});
  const Outcome elsewhere = run({"report", "r", "-o", "r.html", "--set", "data.root=/none"});
  EXPECT_EQ(elsewhere.code, 0) << "data that are not there are a note";
  EXPECT_TRUE(has(elsewhere.err, "note: no spikes of r: ")) << elsewhere.err;
  EXPECT_FALSE(std::filesystem::exists(dir / "x.html"));

  EXPECT_TRUE(has(run({"watch", "r"}).out, "finished, test accuracy"));
  expect_failure({"plot", "points", "r", "--by", "method.pattrn", "-o", "x.svg"}, 1,
                 {"'method.pattrn'", "nearest is method.pattern"});
  write_file_atomically(dir / "gap.csv", "member,x,y\na,1,2\na,3,\n");
  const Outcome gap = run({"plot", "points", "gap.csv", "--x", "x", "--y", "y", "-o", "gap.svg"});
  EXPECT_EQ(gap.code, 0);
  EXPECT_EQ(gap.err, "spikenm: left out: gap.csv:3: found no y\n");
}

TEST_F(PlotCli, MistakesAreOneSentence) {
  expect_failure({"plot", "curves", "-o", "a.svg"}, 2, {"plot curves: found no run"});
  expect_failure({"plot", "none", "-o", "a.svg"}, 1, {"none: found no such folder"});
  expect_failure({"plot", "curvse", "none", "-o", "a.svg"}, 1,
                 {"curvse: found no such folder", "nearest kind is curves"});
  for (const test::Arguments& option :
       {test::Arguments{"--x", "foo"}, {"--log-x"}, {"--by", "a"}, {"--drop", "a"}}) {
    test::Arguments words{"plot", "none", "-o", "a.svg"};
    words.insert(words.end(), option.begin(), option.end());
    expect_failure(words, 2, {option[0] + ": has no effect with curves, wanted points"});
  }
  expect_failure({"plot", "points", "none", "-o", "a.svg", "--sample", "0"}, 2,
                 {"--sample: has no effect with points, wanted spikes"});
  expect_failure({"plot", "none", "-o", "a.svg", "--set", "a=1"}, 2, {"--set", "wanted spikes"});
  const std::string range = run({"plot", "spikes", "none", "-o", "a.svg", "--sample", "-1"}).err;
  EXPECT_TRUE(has(range, "--sample") && range.size() < 100) << range;
  expect_failure({"plot", "masks", "none", "-o", "a.pdf"}, 1, {"a.pdf", ".svg or .png"});
  expect_failure({"plot", "masks", "none", "-o", "a.svg"}, 1, {"none", "config.toml"});
  expect_failure({"watch", "none"}, 1, {"none", "config.toml"});
  std::filesystem::create_directories(dir / "empty");
  expect_failure({"report", "empty", "-o", "a.html"}, 1, {"empty: found no run"});
}

}  // namespace
}  // namespace spikenm
