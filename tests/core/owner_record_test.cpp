#include "spikenm/core/owner_record.h"

#include "support/child.h"
#include "support/expect_error.h"

#include <signal.h>

namespace spikenm {
namespace {

using test::in_child;
using test::status_of;

TEST(OwnerRecord, IsReadAsItWasWritten) {
  const OwnerRecord mine = owner_of_now();
  EXPECT_EQ(mine.pid, ::getpid());
  EXPECT_GT(mine.started, 0);
  EXPECT_EQ(mine.since.size(), std::string("2026-11-16T14:15:30Z").size());
  EXPECT_EQ(parse_owner(to_text(mine), "f"), mine);
}

TEST(OwnerRecord, OneThatWasCutOffWhileItWasWrittenNamesNobody) {
  const std::string whole = to_text(owner_of_now());
  for (size_t n = 0; n + 2 < whole.size(); ++n) {
    EXPECT_EQ(parse_owner(whole.substr(0, n), "f"), std::nullopt) << n;
    EXPECT_EQ(parse_owner(whole.substr(0, n) + std::string(8, '\0'), "f"), std::nullopt) << n;
  }
}

TEST(OwnerRecord, WhatIsNoRecordIsAnErrorThatNamesTheFile) {
  for (const char* text : {"my notes\n", "{\"pid\":3}", "{}", "[]"})
    EXPECT_ERROR(parse_owner(text, "runs/a/.owner"), "runs/a/.owner", "not the record");
}

TEST(OwnerRecord, TellsWhoseItIs) {
  const OwnerRecord owner{.host = "node7", .pid = 4711, .since = "2026-11-16T14:15:30Z"};
  EXPECT_EQ(describe(owner), "process 4711 on node7, since 2026-11-16T14:15:30Z");
  EXPECT_EQ(describe({}), "a process that has not written its name");
  EXPECT_FALSE(is_on_this_host(owner));
  EXPECT_TRUE(is_on_this_host(owner_of_now()));
}

TEST(OwnerRecord, AHostWhoseNameIsNoTextIsWrittenAllTheSame) {
  const OwnerRecord owner{.host = "n\xff\"\n", .pid = 3, .since = "", .started = 1};
  EXPECT_EQ(parse_owner(to_text(owner), "f")->pid, 3);
}

TEST(OwnerRecord, AProcessLivesUntilItEnds) {
  const pid_t child = in_child([] { return ::pause(); });
  OwnerRecord owner = owner_of_now();
  EXPECT_TRUE(is_alive(owner));
  owner.pid = child;
  --owner.started;  // the child may have started in the same tick of the clock
  EXPECT_FALSE(is_alive(owner)) << "another process of that number";
  owner.started = 0;
  EXPECT_TRUE(is_alive(owner)) << "the number is all that is known";
  ::kill(child, SIGKILL);
  EXPECT_EQ(status_of(child), -1);
  EXPECT_FALSE(is_alive(owner));
}

// It stays in the list of processes until its parent has asked for it.
TEST(OwnerRecord, ADeadProcessThatNobodyWaitedForIsDead) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t child = in_child([&] {
    const std::string text = to_text(owner_of_now());
    return ::write(told[1], text.data(), text.size()) > 0 ? 0 : 1;
  });
  ::siginfo_t ended;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  std::string text(4096, '\0');
  ASSERT_GT(::read(told[0], text.data(), text.size()), 0);
  EXPECT_FALSE(is_alive(*parse_owner(text, "pipe")));
  EXPECT_EQ(status_of(child), 0);
  ::close(told[0]);
  ::close(told[1]);
}

}  // namespace
}  // namespace spikenm
