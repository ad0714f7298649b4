#pragma once
// What a chart shows, apart from how it is drawn: the static picture and the interactive one are made of the same
// values. Values are the integers of result tables, in the unit of their CellType; nothing means that there is no
// value.

#include "hta/base/intervals.h"
#include "hta/result/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hta::report::page {

/// What a colour stands for, the same in every chart of the page.
enum class Tone : std::uint8_t {
  kCompute,
  kCommunication,
  kMemory,
  kOther,
  kIdle,
  kHost,     ///< work of the host
  kAccent,   ///< values without a colour of their own
  kWarning,  ///< what stands out
  kFirst,    ///< series that only differ from each other
  kSecond,
  kThird,
  kFourth,
};
/// The name that style sheet and page script know it by.
std::string_view tone_name(Tone tone);
/// Colours for series that only differ: kFirst and so on, then kHost and kWarning, and from the beginning again.
Tone series_tone(std::size_t index);

using Value = std::optional<std::int64_t>;

struct Series {
  std::string name;  ///< empty if the chart has one series, which its title names
  Tone tone = Tone::kAccent;
  std::vector<Value> values;  ///< one a label
};

/// Bars, stacked if there are several series. Values below zero go the other way.
struct Bars {
  enum class Layout : std::uint8_t {
    kRows,         ///< lying, short labels beside them
    kNamedRows,    ///< lying, labels are names: above each bar
    kColumns,      ///< standing
    kHistogram,    ///< standing without space between; labels are the lower bounds of the buckets
    kGroupedRows,  ///< lying, the series beside each other
  };
  Layout layout = Layout::kRows;
  result::CellType unit = result::CellType::kTime;
  std::string label_title;  ///< what the labels are: "rank"
  std::vector<std::string> labels;
  std::vector<Series> series;
  Value full;  ///< where the axis ends; else it follows the values
};

/// Values over time or over a running number.
struct Lines {
  enum class Shape : std::uint8_t { kSteps /** holds until the next point */, kPoints };
  struct Line {
    std::string name;
    Tone tone = Tone::kAccent;
    std::vector<std::pair<std::int64_t, std::int64_t>> points;  ///< by x
  };
  struct Mark {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::string text;
  };
  Shape shape = Shape::kSteps;
  result::CellType x_unit = result::CellType::kTime;
  result::CellType y_unit = result::CellType::kInteger;
  std::string x_title;
  std::string y_title;
  std::vector<Line> lines;
  std::vector<Mark> marks;  ///< what stands out
};

/// A value for each cell of a grid, shown by strength of colour.
struct Heat {
  result::CellType unit = result::CellType::kPercent;
  std::string x_title;
  std::string y_title;
  std::vector<std::string> x_labels;
  std::vector<std::string> y_labels;
  std::vector<Value> values;  ///< row by row, from the first y label on
  Value full;                 ///< of the strongest colour; else the largest value
};

/// Events as bars on tracks over time.
struct Tracks {
  struct Item {
    std::uint32_t track = 0;
    std::uint32_t name = 0;  ///< index in names
    Tone tone = Tone::kOther;
    Interval time;
  };
  Interval window;  ///< what is drawn; axis labels count from its beginning
  std::vector<std::string> tracks;
  std::vector<std::string> names;
  std::vector<Item> items;         ///< by track, then begin
  std::optional<Interval> marked;  ///< the place that the window is about
};

using Plot = std::variant<Bars, Lines, Heat, Tracks>;

/// One entry of the legend: what a colour means in this chart.
struct LegendEntry {
  std::string name;
  Tone tone;
};
/// Entries of a plot in the order of its series; empty where one colour needs no words.
std::vector<LegendEntry> legend_of(const Plot& plot);

/// Whether there is anything to draw.
bool has_marks(const Plot& plot);

}  // namespace hta::report::page
