// Published figures, to be shown beside ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::report {

struct PublishedRow {
  std::string dataset, method, pattern, granularity, model;
  std::optional<int64_t> T;               // time steps
  std::vector<std::string> network;       // keys of [model], such as "width=256"
  std::optional<double> accuracy, delta;  // %, and the difference to the dense network
  std::optional<double> weight_pct, conn_pct, sops_m;
  std::string flag;             // what is unusual about the row; empty: nothing
  std::string table, category;  // where the paper prints it: "1" or "granu", and under which word
  std::string recipe;           // whose training it had, such as "UPR"; empty: not known
  std::string source;           // "paper": measured there; "copied": taken from another paper
  size_t line = 0;              // of the file; 0: no row of it
};

// A CSV with the columns dataset, method, nm, granularity, model, acc, delta, sops_M, weight_pct,
// conn_pct and flag; T, network (words "key=value"), table, category, recipe and source are
// optional, other columns are ignored. `source` names the text in messages.
std::vector<PublishedRow> parse_published(std::string_view text, const std::string& source);

// Case and punctuation do not matter: "6conv2fc" is "6Conv+2FC", "UPR*" is "upr".
bool same_name(const std::string& a, const std::string& b);

// Whether a row that gives T or keys of the network has those that are wanted: a narrower network
// of the same name is not the published one. Where `name=` is among the keys it says which of our
// models stands for the published one.
bool same_network(const PublishedRow& row, const PublishedRow& wanted);

// The row of the same data set, method, pattern, granularity and network. Of several densities it
// is the nearest to what is wanted (conn % where both have it, else weight %); one that differs by
// more than half is none. A rule such as "unstructured" is no pattern. For "dense", the accuracy
// that SpikeNM's row of that dataset and model implies (accuracy - delta), unless neurons are
// pruned.
std::optional<PublishedRow> find_published(const std::vector<PublishedRow>& rows,
                                           const PublishedRow& wanted);

}  // namespace spikenm::report
