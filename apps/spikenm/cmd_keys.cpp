#include "commands.h"

#include "spikenm/core/error.h"
#include "spikenm/core/key_text.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/train/run_keys.h"
#include "spikenm/train/run_lists.h"

#include <memory>

namespace spikenm::cli {
namespace {

struct KeysArguments {
  std::string word;
  bool json = false, markdown = false;
};

// Above the tables of docs/keys.md.
constexpr const char* kPageTop =
    "# Config keys\n\n"
    "Every key of a config, from the declarations that read it. This page is made by\n"
    "`spikenm keys --markdown`; `spikenm keys train`, `spikenm keys lr` or `spikenm keys spikenm` "
    "show a part of it.\n"
    "A key that this run would not read, or that has no effect in it, is an error "
    "([configs.md](configs.md)).\n";

void keys(const KeysArguments& a) {
  std::vector<KeyGroup> groups = train::run_keys();
  if (!a.word.empty()) {
    const std::vector<std::string> words = key_words(groups);
    groups = select_keys(groups, a.word);
    if (groups.empty())
      throw UsageError(fmt::format(
          "keys: found '{}', wanted a section, a key, or the name of a model, dataset or method "
          "(nearest: {})",
          printable(a.word), nearest(a.word, words)));
  }

  const NamesByKey names = train::run_key_names();
  if (a.json) {
    show_json(keys_as_json(groups, names));
  } else if (a.markdown) {
    show_text(kPageTop + keys_as_markdown(groups, names));
  } else {
    const std::string text = keys_as_text(groups, names);
    show_text(text.empty() ? a.word + ": has no keys of its own\n" : text);
  }
}

}  // namespace

std::function<void()> setup_keys(CLI::App& app) {
  auto a = std::make_shared<KeysArguments>();
  app.add_option("word", a->word,
                 "a section (train; top: outside all), a key (lr, train.lr), or a model, dataset "
                 "or method; without it, all keys");
  CLI::Option* const json = app.add_flag("--json", a->json, "print JSON");
  app.add_flag("--markdown", a->markdown, "print Markdown, as docs/keys.md is")->excludes(json);
  app.footer(
      "Examples:\n"
      "  spikenm keys\n"
      "  spikenm keys train\n"
      "  spikenm keys method.pattern\n"
      "  spikenm keys rewire");
  return [a] { keys(*a); };
}

}  // namespace spikenm::cli
