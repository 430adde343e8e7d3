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
  std::string flag;  // what is unusual about the row; empty: nothing
};

// A CSV with the columns dataset, method, nm, granularity, model, acc, delta, sops_M, weight_pct,
// conn_pct and flag; T and network (words "key=value") are optional, other columns are ignored.
// `source` names the text in messages.
std::vector<PublishedRow> parse_published(std::string_view text, const std::string& source);

// The first row that names the same things. Case and punctuation do not matter: "6conv2fc" is
// "6Conv+2FC", and "-" is the pattern of a method without one. A row that gives T or keys of the
// network must match them: a narrower network of the same name is not the published one. For
// "dense", the accuracy that SpikeNM's row of that dataset and model implies (accuracy - delta),
// unless neurons are pruned.
std::optional<PublishedRow> find_published(const std::vector<PublishedRow>& rows,
                                           const PublishedRow& wanted);

}  // namespace spikenm::report
