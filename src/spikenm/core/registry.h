// A registry is an explicit table: one row per name, in the order of the file that lists them.
// Linkers drop objects of a static library that nothing references, so self-registration would
// silently lose entries.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/core/text.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

template <class Factory>
class Registry {
 public:
  struct Row {
    std::string name;
    std::string summary;  // one line, shown by --help and by error messages
    Factory make;
  };

  // `kind` names what is registered in messages: "model", "method", ….
  Registry(std::string kind, std::vector<Row> rows)
      : kind_(std::move(kind)), rows_(std::move(rows)) {}

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Row& row : rows_) result.push_back(row.name);
    return result;
  }

  [[nodiscard]] const Factory& find(std::string_view name) const {
    for (const Row& row : rows_) {
      if (row.name == name) return row.make;
    }
    fail("{} '{}' is not known; known: {} (nearest: {})", kind_, name, join(names(), ", "),
         nearest(name, names()));
  }

 private:
  std::string kind_;
  std::vector<Row> rows_;
};

}  // namespace spikenm
