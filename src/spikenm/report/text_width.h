// How wide text is when it is drawn: in DejaVu Sans, which is as wide as Verdana and wider than
// Arial, so that text fits its place in any viewer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::report {

double text_width(std::string_view utf8, double size);

// The text in at most `most` lines of this width, broken behind spaces and punctuation; empty when
// it does not fit.
std::vector<std::string> wrap_text(const std::string& text, double width, double size, size_t most);

}  // namespace spikenm::report
