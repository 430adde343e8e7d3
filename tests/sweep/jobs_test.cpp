#include "spikenm/sweep/jobs.h"

#include "spikenm/core/file.h"
#include "support/child.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace spikenm::sweep {
namespace {

class Jobs : public testing::Test {
 protected:
  Job shell(const std::string& name, const std::string& script) {
    return {.command = {"/bin/sh", "-c", script}, .log = dir / (name + ".log")};
  }

  test::TempDir dir;
};

TEST_F(Jobs, GiveTheirCodesAndLogs) {
  const auto codes = run_jobs({shell("a", "echo out; echo err >&2"), shell("b", "exit 7"),
                               shell("c", "kill -SEGV $$"), shell("d", "cat; echo end")},
                              2);
  EXPECT_EQ(codes, (std::vector<int>{0, 7, 128 + SIGSEGV, 0}));
  EXPECT_EQ(read_file(dir / "a.log"), "out\nerr\n");
  EXPECT_EQ(read_file(dir / "d.log"), "end\n");  // nothing to read from the terminal
}

TEST_F(Jobs, EachIsToldOfOnceWhenItEnds) {
  std::vector<std::pair<size_t, int>> ended;
  const auto note = [&](size_t job, int code) {
    ended.emplace_back(job, code);
    return false;
  };
  (void)run_jobs({shell("a", "exit 3"), shell("b", "exit 0")}, 1, {.ended = note});
  EXPECT_EQ(ended, (std::vector<std::pair<size_t, int>>{{0, 3}, {1, 0}}));
}

TEST_F(Jobs, AProgramThatIsNotThereFailsAlone) {
  const auto codes =
      run_jobs({{.command = {"/no/such/program"}, .log = dir / "a.log"}, shell("b", "exit 0")}, 1);
  EXPECT_EQ(codes, (std::vector<int>{127, 0}));
}

TEST_F(Jobs, NeverMoreRunThanAllowed) {
  std::vector<Job> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(shell(std::to_string(i), "sleep 0.05"));
  size_t most = 0, last = 0;
  run_jobs(jobs, 3, {.watch = [&](size_t done, const std::vector<size_t>& running) {
             most = std::max(most, running.size());
             EXPECT_GE(done, last);
             last = done;
           }});
  EXPECT_EQ(most, 3u);
}

TEST_F(Jobs, NoneOutlivesAWatcherThatThrows) {
  const auto pid_of = [&](const char* name) { return std::stoi(read_file(dir / name)); };
  const std::string script = "echo $$ > " + (dir / "pid").string() + "; exec sleep 60";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run_jobs({shell("a", script)}, 1,
                        {.watch =
                             [&](size_t, const std::vector<size_t>&) {
                               std::error_code none;
                               if (std::filesystem::file_size(dir / "pid", none) > 0 && !none)
                                 throw Interrupted(SIGINT, "stop");
                             }}),
               Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  EXPECT_EQ(::kill(pid_of("pid"), 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(Jobs, ALogThatCannotBeWrittenIsNamed) {
  EXPECT_ERROR(run_jobs({{.command = {"/bin/true"}, .log = dir / "none/a.log"}}, 1), "none/a.log",
               "cannot write");
}

TEST_F(Jobs, OneThatMayNotStartLeavesItsLog) {
  write_file_atomically(dir / "a.log", "old");
  std::vector<std::pair<size_t, int>> ended;
  const auto note = [&](size_t job, int code) {
    ended.emplace_back(job, code);
    return false;
  };
  const auto codes =
      run_jobs({shell("a", "echo a"), shell("b", "echo b"), shell("c", "exit 4")}, 1,
               {.ended = note, .may_start = [](size_t job, Job&) { return job != 0; }});
  EXPECT_EQ(codes, (std::vector<int>{kNotStarted, 0, 4}));
  EXPECT_EQ(ended, (std::vector<std::pair<size_t, int>>{{0, kNotStarted}, {1, 0}, {2, 4}}));
  EXPECT_EQ(read_file(dir / "a.log"), "old");
}

TEST_F(Jobs, ThoseOfTwoProcessesRunOnceAtATime) {
  // Each job notes that it runs; one that finds the note of another run of itself says so.
  std::vector<Job> jobs;
  for (int i = 0; i < 8; ++i) {
    const std::string note = (dir / ("note" + std::to_string(i))).string();
    jobs.push_back(
        shell(std::to_string(i), "mkdir " + note + " && sleep 0.1 && touch " + note + "/done"));
  }
  // A job that is done may not start again.
  const auto run_all = [&] {
    const auto may_start = [&](size_t job, Job&) {
      return !std::filesystem::exists(dir / ("note" + std::to_string(job)) / "done");
    };
    const auto codes = run_jobs(jobs, 2, {.may_start = may_start});
    return static_cast<int>(std::count(codes.begin(), codes.end(), 0)) +
           (std::any_of(codes.begin(), codes.end(), [](int code) { return code > 0; }) ? 100 : 0);
  };
  const pid_t other = test::in_child(run_all);
  const int mine = run_all(), others = test::status_of(other);
  EXPECT_EQ(mine + others, 8);
  EXPECT_GE(mine, 1);
  EXPECT_GE(others, 1);
}

TEST_F(Jobs, OneThatIsWantedAgainComesAfterThoseThatWait) {
  // Each start leaves a line; the first job fails until it has left three.
  const std::string lines = (dir / "lines").string();
  const std::string fails =
      "echo a >> " + lines + "; echo log; test $(grep -c a " + lines + ") -ge 3";
  std::vector<int> codes_of_a;
  const auto again = [&](size_t job, int code) {
    if (job == 0) codes_of_a.push_back(code);
    return code != 0;
  };
  const auto keep_log = [](size_t, Job& job) { return job.keeps_log = true; };
  const auto codes = run_jobs({shell("a", fails), shell("b", "echo b >> " + lines)}, 1,
                              {.ended = again, .may_start = keep_log});
  EXPECT_EQ(codes, (std::vector<int>{0, 0}));
  EXPECT_EQ(codes_of_a, (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(read_file(lines), "a\nb\na\na\n");
  EXPECT_EQ(read_file(dir / "a.log"), "log\nlog\nlog\n");
}

TEST_F(Jobs, NoJobsAreNoWork) {
  EXPECT_TRUE(run_jobs({}, 1).empty());
}

}  // namespace
}  // namespace spikenm::sweep
