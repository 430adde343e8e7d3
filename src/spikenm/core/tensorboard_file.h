// Writes scalars, pictures and histograms over steps for TensorBoard, in an event file. Each object writes a file of
// its own. TensorBoard reads the files of a folder by name, so a new file gets the last name.
#pragma once

#include "spikenm/core/event_records.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

// The event files of a folder, whatever else lies there.
std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder);

class TensorBoardFile {
 public:
  // The folder and the file are made when the first values are written.
  explicit TensorBoardFile(std::filesystem::path folder);

  // Flushes; an error is ignored.
  ~TensorBoardFile();
  TensorBoardFile(const TensorBoardFile&) = delete;
  TensorBoardFile& operator=(const TensorBoardFile&) = delete;

  // The value is stored as float. `wall_time`: in seconds since 1970.
  void add(std::string_view tag, int64_t step, double wall_time, double value);
  void add_picture(std::string_view tag, int64_t step, double wall_time,
                   const PackedPicture& picture);
  void add_histogram(std::string_view tag, int64_t step, double wall_time,
                     const Histogram& histogram);

  // Writes what was added to the file.
  void flush();

  // Removes all values after the step from all files of the folder, and records that a crash left
  // incomplete. For a run that resumes at this step; -1 removes everything.
  void cut_after(int64_t step);

 private:
  void add_record(std::string_view record);
  [[nodiscard]] std::filesystem::path next_name() const;

  std::filesystem::path folder_;
  std::filesystem::path file_;  // empty: not yet made
  std::string waiting_;         // records
};

}  // namespace spikenm
