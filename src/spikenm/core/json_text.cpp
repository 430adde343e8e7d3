#include "spikenm/core/json_text.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <vector>

namespace spikenm {
namespace {

// The parser's own tree builder searches all keys of an object for each new one. This one appends,
// and looks for duplicate keys once, at the end of the object.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(const std::string& source) : source_(source) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(Json::binary(value)); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool end_object() override {
    check_keys(open_.back()->get_ref<const Json::object_t&>());
    return close();
  }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  // Pointers to open values stay valid: a parent gets no new member while one of its values is
  // open.
  Json& append(Json value) {
    SPIKENM_CHECK(++values_ <= kMostJsonValues,
                  "{}: found JSON of more than {} values, wanted at most {} (a fixed limit)",
                  source_, kMostJsonValues, kMostJsonValues);
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_array()) {
      auto& list = open_.back()->get_ref<Json::array_t&>();
      return list.emplace_back(std::move(value));
    }
    auto& members = open_.back()->get_ref<Json::object_t&>();
    members.emplace_back(std::move(key_), std::move(value));
    return members.back().second;
  }

  bool add(Json value) {
    append(std::move(value));
    return true;
  }

  bool open(Json value) {
    SPIKENM_CHECK(
        static_cast<int64_t>(open_.size()) < kDeepestJson,
        "{}: found JSON more than {} lists or objects deep, wanted at most {} (a fixed limit)",
        source_, kDeepestJson, kDeepestJson);
    open_.push_back(&append(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  void check_keys(const Json::object_t& members) const {
    std::vector<std::string_view> keys;
    keys.reserve(members.size());
    for (const auto& [name, value] : members) keys.emplace_back(name);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    SPIKENM_CHECK(twice == keys.end(), "{}: found the key '{}' twice in one JSON object", source_,
                  *twice);
  }

  const std::string& source_;
  Json root_;
  std::vector<Json*> open_;
  int64_t values_ = 0;
  std::string key_;
};

}  // namespace

Json parse_json_object(std::string_view text, const std::string& source) {
  // The parser takes a NUL for the end of the text and ignores what follows.
  const size_t nul = text.find('\0');
  SPIKENM_CHECK(nul == std::string_view::npos,
                "{}: found a NUL at byte {}, wanted a JSON object and nothing more", source, nul);

  TreeBuilder builder(source);
  const bool whole = Json::sax_parse(text.begin(), text.end(), &builder);
  const Json found = whole ? builder.take() : Json();
  SPIKENM_CHECK(found.is_object(), "{}: found {}, wanted a JSON object", source,
                whole ? found.type_name() : "broken JSON");
  return found;
}

}  // namespace spikenm
