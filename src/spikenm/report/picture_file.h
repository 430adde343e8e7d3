// Writes pictures. They are drawn as SVG; PNG is made of it by rsvg-convert (librsvg), where that
// program is installed.
#pragma once

#include <filesystem>
#include <string>

namespace spikenm::report {

// The SVG as PNG, twice as large; empty when there is no rsvg-convert.
std::string png_of(const std::string& svg, const std::string& source);

// An Error names the file unless its name ends in .svg or .png.
void check_picture_name(const std::filesystem::path& file);

// Writes FILE.svg or FILE.png, as the name says. A PNG that cannot be made becomes the SVG of the
// same name, with a note. Returns the file that was written.
std::filesystem::path write_picture(const std::string& svg, const std::filesystem::path& file);

}  // namespace spikenm::report
