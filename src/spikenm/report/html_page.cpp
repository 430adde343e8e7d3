#include "spikenm/report/html_page.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/report/confusion.h"
#include "spikenm/report/curves.h"
#include "spikenm/report/html_style.h"
#include "spikenm/report/mask_figure.h"
#include "spikenm/report/run_groups.h"
#include "spikenm/report/spike_figure.h"
#include "spikenm/report/svg_canvas.h"
#include "spikenm/report/table_view.h"

#include <algorithm>

namespace spikenm::report {
namespace {

std::string figure(const std::string& svg) {
  return "<figure>" + svg + "</figure>\n";
}

std::string note(const std::string& text) {
  return "<p class=\"note\">" + escape_xml(text) + "</p>\n";
}

// A part of the page; without content there is none.
struct Section {
  const char* id;
  const char* title;
  std::string body;
};

std::string table_of(const PageContent& content) {
  if (content.rows.empty()) return note("No run has ended yet.");
  constexpr size_t kWidth = 130;
  // A page scrolls: no cell is cut.
  const TableCells cells = view_cells(content.rows, {.format = ViewFormat::kMarkdown,
                                                     .columns = {},
                                                     .sort = {},
                                                     .group_by = {},
                                                     .most_width = kWidth});
  std::string html = cells.caption.empty() ? "" : note(cells.caption);
  html += "<div class=\"scroll\"><table class=\"sortable\"><thead><tr>";
  for (const std::string& name : cells.header)
    html += "<th scope=\"col\"><button>" + escape_xml(name) + "</button></th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : cells.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + escape_xml(cell) + "</td>";
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  html += note(
      "Mean ± sample standard deviation over seeds. Δ dense: against dense runs of the same "
      "recipe. A click on a heading sorts.");
  for (const std::string& text : cells.notes) html += note(text);
  return html;
}

std::string curves_of(const PageContent& content) {
  try {
    return figure(curves_svg("learning curves", content.runs));
  } catch (const Error& e) {
    return note(e.what());
  }
}

// One run of each group, since masks and spikes have no mean.
std::string masks_of(const std::vector<RunGroup>& groups) {
  std::string html;
  for (const RunGroup& group : groups) {
    try {
      const std::vector<MaskMoment> moments = read_masks(*group.runs.front());
      html += figure(masks_svg("masks: " + group.name, moments));
    } catch (const Error&) {
      continue;  // a dense run has none
    }
  }
  return html;
}

std::string rates_of(const std::vector<RunGroup>& groups) {
  Plot plot;
  plot.title = "firing rate of each layer, on test";
  plot.y_label = "neurons that fire at a step, %";
  plot.area_height = 220;
  for (const RunGroup& group : groups) {
    const auto rates = group.runs.front()->result.find("firing_rate");
    if (rates == group.runs.front()->result.end() || !rates->is_object()) continue;
    Series series{.name = group.name, .style = Series::Style::kBars, .values = {}};
    for (const auto& [layer, rate] : rates->items()) {
      if (!rate.is_number()) continue;
      auto place = std::find(plot.names.begin(), plot.names.end(), layer);
      if (place == plot.names.end()) place = plot.names.insert(place, layer);
      series.values.push_back({.x = static_cast<double>(place - plot.names.begin()),
                               .y = 100 * rate.get<double>(),
                               .spread = {},
                               .x_spread = {}});
    }
    plot.series.push_back(std::move(series));
  }
  plot.note = "of the first run of each group";
  return plot.names.empty() ? "" : figure(plot_svg(plot));
}

std::string confusions_of(const std::vector<RunGroup>& groups) {
  std::string html;
  for (const RunGroup& group : groups) {
    try {
      std::vector<Confusion> all;
      for (const Run* run : group.runs)
        if (run->result.contains("test_confusion")) all.push_back(read_confusion(*run));
      if (!all.empty()) html += figure(confusion_svg("confusion: " + group.name, sum_of(all)));
    } catch (const Error& e) {
      html += note(e.what());
    }
  }
  return html;
}

std::string spikes_of(const PageContent& content, const std::vector<RunGroup>& groups) {
  std::string html;
  for (const RunGroup& group : groups) {
    const auto found = content.spikes.find(group.runs.front()->folder.string());
    if (found != content.spikes.end())
      html += figure(spike_svg("spikes: " + group.name, found->second));
  }
  return html;
}

std::string run_details(const Run& run) {
  std::string html = "<details><summary>" + escape_xml(run.folder.string()) + "</summary>\n";
  const auto warnings = run.result.find("warnings");
  if (warnings != run.result.end() && warnings->is_array())
    for (const Json& warning : *warnings)
      if (warning.is_string()) html += note("warning: " + warning.get<std::string>());
  // JSON escapes control characters; newlines between fields stay newlines.
  const auto block = [&](const std::string& title, const std::string& text) {
    html += "<p>" + title + "</p><pre>";
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      html += escape_xml(std::string_view(text).substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
    html += "</pre>\n";
  };
  block("config", read_file(run.folder / RunDir::kConfig));
  for (const char* key : {"versions", "device", "precision", "data_source", "samples"})
    if (const auto found = run.result.find(key); found != run.result.end())
      block(key, found->dump(2, ' ', false, Json::error_handler_t::replace));
  return html + "</details>\n";
}

}  // namespace

std::string html_page(const PageContent& content) {
  const std::vector<RunGroup> groups = group_runs(content.runs);
  std::string produced;
  for (const Run& run : content.runs) produced += run_details(run);
  const std::vector<Section> sections{{"table", "Results", table_of(content)},
                                      {"curves", "Learning curves", curves_of(content)},
                                      {"masks", "Masks", masks_of(groups)},
                                      {"rates", "Firing rates", rates_of(groups)},
                                      {"confusion", "Confusion", confusions_of(groups)},
                                      {"spikes", "Spikes", spikes_of(content, groups)},
                                      {"runs", "Runs and what produced them", produced}};

  std::string links, body;
  for (const Section& section : sections) {
    if (section.body.empty()) continue;
    links += fmt::format("<a href=\"#{}\">{}</a>", section.id, section.title);
    body += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, section.title) +
            section.body + "</section>\n";
  }
  std::string notes;
  for (const std::string& text : content.notes) notes += note(text);

  const std::string title = escape_xml(content.title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>" +
         title + "</title>\n<style>" + kPageStyle + "</style>\n</head>\n<body>\n<h1>" + title +
         "</h1>\n<nav>" + links + "</nav>\n" + notes + body + "<script>" + kPageScript +
         "</script>\n</body>\n</html>\n";
}

}  // namespace spikenm::report
