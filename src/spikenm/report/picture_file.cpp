#include "spikenm/report/picture_file.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/program.h"
#include "spikenm/core/say.h"

namespace spikenm::report {
namespace {

constexpr const char* kConverter = "rsvg-convert";

}  // namespace

std::string png_of(const std::string& svg, const std::string& source) {
  const auto made = run_program({kConverter, "--unlimited", "--zoom=2", "--format=png"}, svg);
  if (!made) return "";
  const std::string why = made->errors.substr(0, made->errors.find('\n'));
  SPIKENM_CHECK(made->exit_code == 0 && !made->output.empty(), "{}: {} ended with {}: {}", source,
                kConverter, made->exit_code, why);
  return made->output;
}

void check_picture_name(const std::filesystem::path& file) {
  const std::string kind = file.extension().string();
  SPIKENM_CHECK(kind == ".svg" || kind == ".png", "{}: found {}, wanted a name that ends in {}",
                file.string(), kind.empty() ? "no ending" : "'" + kind + "'", ".svg or .png");
}

std::filesystem::path write_picture(const std::string& svg, const std::filesystem::path& file) {
  check_picture_name(file);
  if (file.extension() == ".png") {
    const std::string png = png_of(svg, file.string());
    if (!png.empty()) {
      write_file_atomically(file, png);
      return file;
    }
    std::filesystem::path instead = file;
    instead.replace_extension(".svg");
    say(fmt::format("note: PNG needs {} (Debian: librsvg2-bin); wrote {} instead", kConverter,
                    instead.string()));
    write_file_atomically(instead, svg);
    return instead;
  }
  write_file_atomically(file, svg);
  return file;
}

}  // namespace spikenm::report
