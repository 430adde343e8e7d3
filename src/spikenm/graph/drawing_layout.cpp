#include "spikenm/graph/drawing_layout.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace spikenm::graph {
namespace {

constexpr double kColumnGap = 40, kLaneGap = 16, kTrackGap = 10;
constexpr double kBeforeTracks = 10, kBehindTracks = 14;

// A vertical path that takes a box's lines past the rows between it and its readers.
struct Lane {
  size_t box = 0, first_gap = 0, last_gap = 0;  // gap r lies below row r
  double x = 0;
};

// A line's horizontal path in the gap between two rows.
struct Crossing {
  double low = 0, high = 0;
  bool arrives = false;  // from a lane; else from the row above
  size_t track = 0;
};

class Layouter {
 public:
  Layouter(double width, const std::vector<double>& heights,
           const std::vector<std::vector<size_t>>& inputs)
      : width_(width), heights_(heights), inputs_(inputs), n_(heights.size()) {}

  DrawingLayout run() {
    place_in_rows();
    find_lanes();
    find_ports();
    find_crossings();
    place_boxes();
    draw_lines();
    return std::move(out_);
  }

 private:
  // A box's row is the length of the longest path to it. In a row, the box with the longest path to
  // the end comes first, so the main line is the left column.
  void place_in_rows() {
    row_.assign(n_, 0);
    column_.assign(n_, 0);
    std::vector<size_t> to_end(n_, 0);
    for (size_t box = 0; box < n_; ++box)
      for (const size_t input : inputs_[box]) row_[box] = std::max(row_[box], row_[input] + 1);
    for (size_t box = n_; box-- > 0;)
      for (const size_t input : inputs_[box])
        to_end[input] = std::max(to_end[input], to_end[box] + 1);

    rows_.resize(n_ == 0 ? 0 : *std::max_element(row_.begin(), row_.end()) + 1);
    for (size_t box = 0; box < n_; ++box) rows_[row_[box]].push_back(box);
    for (std::vector<size_t>& row : rows_) {
      std::stable_sort(row.begin(), row.end(),
                       [&](size_t a, size_t b) { return to_end[a] > to_end[b]; });
      for (size_t i = 0; i < row.size(); ++i) column_[row[i]] = i;
    }
  }

  // Short lanes are placed first: long ones go around them.
  void find_lanes() {
    std::vector<size_t> last(row_);  // the lowest row that reads each box
    for (size_t box = 0; box < n_; ++box)
      for (const size_t input : inputs_[box]) last[input] = std::max(last[input], row_[box]);

    std::vector<Lane> lanes;
    for (size_t box = 0; box < n_; ++box)
      if (last[box] > row_[box] + 1)
        lanes.push_back({.box = box, .first_gap = row_[box], .last_gap = last[box] - 1});
    std::stable_sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) {
      return a.last_gap - a.first_gap < b.last_gap - b.first_gap;
    });

    lane_x_.assign(n_, 0);
    for (size_t i = 0; i < lanes.size(); ++i) {
      choose_x(lanes, i);
      lane_x_[lanes[i].box] = lanes[i].x;
    }
  }

  // The lane goes straight down when nothing is in its way, else beside the rows that it passes.
  void choose_x(std::vector<Lane>& lanes, size_t which) const {
    Lane& lane = lanes[which];
    size_t columns = 0;
    for (size_t row = lane.first_gap + 1; row <= lane.last_gap; ++row)
      columns = std::max(columns, rows_[row].size());
    const double beside = left_of(columns - 1) + width_ + kLaneGap;

    std::vector<double> taken;
    for (size_t i = 0; i < which; ++i)
      if (lanes[i].first_gap <= lane.last_gap && lane.first_gap <= lanes[i].last_gap)
        taken.push_back(lanes[i].x);
    std::sort(taken.begin(), taken.end());
    const auto is_free = [&](double x) {
      const auto next = std::lower_bound(taken.begin(), taken.end(), x - kLaneGap / 2);
      return next == taken.end() || *next > x + kLaneGap / 2;
    };

    lane.x = center_of(lane.box);
    if (lane.x >= beside && is_free(lane.x)) return;
    lane.x = beside;
    while (!is_free(lane.x)) lane.x += kLaneGap;
  }

  // Where lines enter a box from above: a line that comes straight down in the middle, all others
  // to the right of it, in the order of where they come from.
  void find_ports() {
    ports_.resize(n_);
    for (size_t box = 0; box < n_; ++box) {
      std::vector<std::pair<double, size_t>> sides;  // where each other input comes from
      for (const size_t input : inputs_[box]) {
        if (is_straight(input, box))
          ports_[box][input] = center_of(box);
        else
          sides.emplace_back(is_far(input, box) ? lane_x_[input] : center_of(input), input);
      }

      std::sort(sides.begin(), sides.end());
      const bool is_middle_free =
          row_[box] > 0 && sides.size() == 1 && rows_[row_[box] - 1].size() <= column_[box];
      for (size_t i = 0; i < sides.size(); ++i)
        ports_[box][sides[i].second] =
            is_middle_free ? center_of(box)
                           : center_of(box) + width_ / 2 * static_cast<double>(i + 1) /
                                                  static_cast<double>(sides.size() + 1);
    }
  }

  void find_crossings() {
    crossings_.resize(rows_.size());
    for (size_t box = 0; box < n_; ++box)
      for (const size_t input : inputs_[box]) {
        const double port = ports_[box][input];
        cross(row_[input], input, center_of(input), is_far(input, box) ? lane_x_[input] : port,
              false);
        if (is_far(input, box)) cross(row_[box] - 1, input, lane_x_[input], port, true);
      }

    tracks_.assign(rows_.size(), 0);
    for (size_t gap = 0; gap < rows_.size(); ++gap) choose_tracks(gap);
  }

  void cross(size_t gap, size_t input, double from, double to, bool arrives) {
    const Crossing wanted{std::min(from, to), std::max(from, to), arrives};
    const auto [found, is_new] = crossings_[gap].try_emplace(input, wanted);
    found->second.low = std::min(found->second.low, wanted.low);
    found->second.high = std::max(found->second.high, wanted.high);
  }

  // Each crossing takes the highest track where it overlaps no other. Crossings that leave the row
  // above choose first, then those that arrive from a lane, the innermost lane first.
  void choose_tracks(size_t gap) {
    std::vector<Crossing*> order;
    for (auto& [input, crossing] : crossings_[gap])
      if (crossing.high > crossing.low) order.push_back(&crossing);
    std::stable_sort(order.begin(), order.end(), [](const Crossing* a, const Crossing* b) {
      return std::pair(a->arrives, a->high) < std::pair(b->arrives, b->high);
    });

    std::vector<std::vector<const Crossing*>> tracks;
    for (Crossing* crossing : order) {
      const auto fits = [&](const std::vector<const Crossing*>& track) {
        return std::none_of(track.begin(), track.end(), [&](const Crossing* other) {
          return other->low < crossing->high + kLaneGap / 2 &&
                 crossing->low < other->high + kLaneGap / 2;
        });
      };
      const auto found = std::find_if(tracks.begin(), tracks.end(), fits);
      crossing->track = static_cast<size_t>(found - tracks.begin());
      if (found == tracks.end()) tracks.emplace_back();
      tracks[crossing->track].push_back(crossing);
    }
    tracks_[gap] = tracks.size();
  }

  void place_boxes() {
    double y = 0;
    out_.boxes.resize(n_);
    for (size_t row = 0; row < rows_.size(); ++row) {
      double tallest = 0;
      for (const size_t box : rows_[row]) {
        out_.boxes[box] = {left_of(column_[box]), y, width_, heights_[box]};
        out_.width = std::max(out_.width, left_of(column_[box]) + width_);
        tallest = std::max(tallest, heights_[box]);
      }

      gap_y_.push_back(y + tallest);
      out_.height = y + tallest;
      y = out_.height + kBeforeTracks + kBehindTracks +
          kTrackGap * static_cast<double>(tracks_[row]);
    }
  }

  void draw_lines() {
    for (size_t box = 0; box < n_; ++box)
      for (const size_t input : inputs_[box]) {
        const BoxPlace &from = out_.boxes[input], &to = out_.boxes[box];
        const double port = ports_[box][input], start = center_of(input);
        std::vector<Spot> line{{start, from.y + from.height}};
        if (is_far(input, box)) {
          turn(line, track_y(row_[input], input), lane_x_[input]);
          turn(line, track_y(row_[box] - 1, input), port);
        } else {
          turn(line, track_y(row_[input], input), port);
        }

        line.push_back({port, to.y});
        for (const Spot& spot : line) out_.width = std::max(out_.width, spot.x);
        out_.lines.push_back(std::move(line));
      }
  }

  // Continues the line down to y, then across to x.
  static void turn(std::vector<Spot>& line, double y, double x) {
    const double before = line.back().x;
    if (before == x) return;
    line.push_back({before, y});
    line.push_back({x, y});
  }

  [[nodiscard]] double track_y(size_t gap, size_t input) const {
    const size_t track = crossings_[gap].at(input).track;
    return gap_y_[gap] + kBeforeTracks + kTrackGap * static_cast<double>(track);
  }
  [[nodiscard]] double left_of(size_t column) const {
    return (width_ + kColumnGap) * static_cast<double>(column);
  }
  [[nodiscard]] double center_of(size_t box) const { return left_of(column_[box]) + width_ / 2; }
  [[nodiscard]] bool is_far(size_t input, size_t box) const { return row_[box] > row_[input] + 1; }
  [[nodiscard]] bool is_straight(size_t input, size_t box) const {
    return !is_far(input, box) && column_[input] == column_[box];
  }

  double width_;
  const std::vector<double>& heights_;
  const std::vector<std::vector<size_t>>& inputs_;
  size_t n_;
  std::vector<size_t> row_, column_, tracks_;
  std::vector<std::vector<size_t>> rows_;
  std::vector<double> lane_x_, gap_y_;
  std::vector<std::map<size_t, double>> ports_;        // of each box, by input
  std::vector<std::map<size_t, Crossing>> crossings_;  // of each gap, by input
  DrawingLayout out_;
};

}  // namespace

DrawingLayout lay_out(double width, const std::vector<double>& heights,
                      const std::vector<std::vector<size_t>>& inputs) {
  return Layouter(width, heights, inputs).run();
}

}  // namespace spikenm::graph
