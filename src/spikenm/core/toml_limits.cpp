#include "spikenm/core/toml_limits.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <vector>

namespace spikenm {
namespace {

class LimitScan {
 public:
  LimitScan(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        line_begins_ = false;
        skip_string(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        take(c);
        ++at_;
      }
    }
  }

 private:
  void take(char c) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (c == '[' && line_begins_ && dots_.size() == 1) {
      in_header_ = true;
      depth_ = 0;
    }
    if (!blank) line_begins_ = false;

    if (c == '\n') {
      end_line();
    } else if (c == '.') {
      add_dot();
    } else if (c == '=') {
      add_tables(dots_.back());
    } else if (c == ',') {
      forget_dots();
    } else if (!in_header_ && (c == '[' || c == '{')) {
      open();
    } else if (!in_header_ && (c == ']' || c == '}')) {
      close();
    }
  }

  void add_dot() {
    ++dots_.back();
    ++depth_;
    check_depth();
  }

  void forget_dots() {
    depth_ -= dots_.back();
    dots_.back() = 0;
  }

  void open() {
    dots_.push_back(0);
    ++depth_;
    check_depth();
  }

  void close() {
    if (dots_.size() == 1) return;  // not TOML; the parser will report it
    forget_dots();
    dots_.pop_back();
    --depth_;
  }

  // The end of a line ends a statement, but not inside brackets. Lines after a header belong to its
  // table.
  void end_line() {
    ++line_;
    line_begins_ = true;
    if (dots_.size() > 1) return;

    const int64_t dots = dots_.back();
    forget_dots();
    if (!in_header_) return;
    in_header_ = false;
    depth_ = dots + 1;
    add_tables(dots + 1);
  }

  void add_tables(int64_t n) {
    tables_ += n;
    SPIKENM_CHECK(tables_ <= kMostTables,
                  "{}:{}: found more than {} tables, each part of a dotted name counted, wanted at "
                  "most {} (a fixed limit)",
                  source_, line_, kMostTables, kMostTables);
  }

  void check_depth() const {
    SPIKENM_CHECK(
        depth_ < kDeepestToml,
        "{}:{}: found tables or lists more than {} deep, wanted at most {} (a fixed limit)",
        source_, line_, kDeepestToml, kDeepestToml);
  }

  // Moves past the string that begins here. A string that is not closed ends with its line.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool several_lines = text_.substr(at_, 3) == three;
    at_ += several_lines ? 3 : 1;

    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !several_lines) return;
      if (c == '\n') ++line_;
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        at_ += 2;
      } else if (several_lines && text_.substr(at_, 3) == three) {
        at_ += 3;
        // The string itself may end in one or two quotes.
        for (int i = 0; i < 2 && text_.substr(at_, 1) == three.substr(0, 1); ++i) ++at_;
        return;
      } else {
        ++at_;
        if (c == quote && !several_lines) return;
      }
    }
  }

  std::string_view text_;
  const std::string& source_;
  size_t at_ = 0;
  int64_t line_ = 1, depth_ = 0, tables_ = 0;
  // Dots since the last comma, in the statement and in each open bracket.
  std::vector<int64_t> dots_{0};
  bool line_begins_ = true, in_header_ = false;
};

}  // namespace

void check_toml_limits(std::string_view text, const std::string& source) {
  SPIKENM_CHECK(text.size() <= kMostToml,
                "{}: found {} bytes of TOML, wanted at most {} (a fixed limit)", source,
                text.size(), kMostToml);
  LimitScan(text, source).run();
}

}  // namespace spikenm
