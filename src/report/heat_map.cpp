#include "heat_map.h"

#include "hta/base/int_ranges.h"
#include "hta/base/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace hta::report {
namespace {

struct Shade {
  std::int64_t from_hundredths;  // of a per cent
  std::string_view unicode;
  std::string_view ascii;
  std::string_view color;
};
// The bands in which lateness is judged: below 5 % of the step nobody is named, 10 % warns, 20 % is critical.
constexpr std::array kShades{
    Shade{0, "·", ".", "\033[2m"},     Shade{100, "░", "-", ""},          Shade{500, "▒", "+", "\033[33m"},
    Shade{1000, "▓", "*", "\033[33m"}, Shade{2000, "█", "#", "\033[31m"},
};
constexpr std::string_view kPlain = "\033[0m";
constexpr std::size_t kMostLines = 24;
constexpr std::size_t kMostLabel = 32;   // columns
constexpr std::size_t kValueWidth = 10;  // two blanks and "100.00 %"

const Shade& shade_of(std::int64_t hundredths) {
  const Shade* shade = &kShades.front();
  for (const Shade& next : kShades) {
    if (hundredths >= next.from_hundredths) shade = &next;
  }
  return *shade;
}

std::string percent_text(std::int64_t hundredths) {
  return fixed_point(hundredths, 2) + " %";
}

// One line: what it stands for, and a value per column of the map.
struct Line {
  std::vector<RankKey> ranks;
  std::vector<std::int64_t> values;
  std::int64_t worst() const { return *std::max_element(values.begin(), values.end()); }

  std::string label() const {
    if (ranks.front().window() > 0)
      return std::to_string(ranks.front().rank()) + " (window " + std::to_string(ranks.front().window()) + ")";
    std::vector<std::int64_t> numbers;
    for (const RankKey rank : ranks) numbers.push_back(rank.rank());
    const std::string text = range_list(numbers);
    if (ranks.size() == 1) return text;
    const std::string alike = " (" + with_commas(static_cast<std::int64_t>(ranks.size())) + " alike)";
    return shorten_middle(text, kMostLabel - alike.size()) + alike;
  }
};

class HeatMap {
 public:
  explicit HeatMap(const result::Table& table) {
    const result::MapSpec& spec = *table.map();
    const std::size_t row_at = *table.find_column(spec.row);
    const std::size_t column_at = *table.find_column(spec.column);
    const std::size_t value_at = *table.find_column(spec.value);
    column_name_ = spec.column;
    std::map<std::int64_t, std::size_t> place;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      if (!table.is_null(r, column_at)) place.try_emplace(table.number(r, column_at), 0);
    }
    for (auto& [column, at] : place) {
      at = columns_.size();
      columns_.push_back(column);
    }
    std::map<std::int64_t, Line> lines;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      Line& line = lines[table.number(r, row_at)];
      if (line.ranks.empty()) line = {{RankKey::from_value(table.number(r, row_at))}, {}};
      line.values.resize(columns_.size());
      if (!table.is_null(r, column_at) && !table.is_null(r, value_at))
        line.values[place[table.number(r, column_at)]] = table.number(r, value_at);
    }
    for (auto& [key, line] : lines) lines_.push_back(std::move(line));
  }

  bool empty() const { return columns_.empty() || lines_.empty(); }

  // So many columns of the table in one sign that all fit beside labels of the largest size.
  void squeeze(std::size_t width) {
    if (width == 0) return;
    const std::size_t room = std::max<std::size_t>(8, width - std::min(width, kMostLabel + 2 + kValueWidth));
    per_sign_ = (columns_.size() + room - 1) / room;
    if (per_sign_ < 2) return;
    for (Line& line : lines_) {
      std::vector<std::int64_t> squeezed;
      for (std::size_t i = 0; i < line.values.size(); i += per_sign_) {
        const std::size_t end = std::min(i + per_sign_, line.values.size());
        squeezed.push_back(*std::max_element(line.values.begin() + static_cast<std::ptrdiff_t>(i),
                                             line.values.begin() + static_cast<std::ptrdiff_t>(end)));
      }
      line.values = std::move(squeezed);
    }
  }

  // Lines that look alike become one; of too many different ones only the worst stay.
  void fold() {
    std::map<std::vector<const Shade*>, std::size_t> seen;
    std::vector<Line> folded;
    for (Line& line : lines_) {
      std::vector<const Shade*> look;
      for (const std::int64_t value : line.values) look.push_back(&shade_of(value));
      const auto [at, fresh] = seen.try_emplace(look, folded.size());
      if (fresh || line.ranks.front().window() > 0) {
        folded.push_back(std::move(line));
        continue;
      }
      Line& same = folded[at->second];
      same.ranks.push_back(line.ranks.front());
      for (std::size_t i = 0; i < line.values.size(); ++i) same.values[i] = std::max(same.values[i], line.values[i]);
    }
    lines_ = std::move(folded);
    if (lines_.size() <= kMostLines) return;
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.worst() > b.worst(); });
    for (std::size_t i = kMostLines; i < lines_.size(); ++i) left_out_ += lines_[i].ranks.size();
    most_left_out_ = lines_[kMostLines].worst();
    lines_.resize(kMostLines);
    std::sort(lines_.begin(), lines_.end(),
              [](const Line& a, const Line& b) { return a.ranks.front() < b.ranks.front(); });
  }

  void draw(Charset charset, Color color, Out& out) const {
    std::size_t label_width = 4;
    for (const Line& line : lines_) label_width = std::max(label_width, display_width(line.label()));
    const std::string heading = heading_text();
    const std::size_t signs = lines_.front().values.size();
    const auto pad = [&](std::string_view text, std::size_t width) {
      out << text << std::string(width - std::min(width, display_width(text)), ' ');
    };
    pad("rank", label_width + 2);
    pad(heading, signs + 2);
    out << (heading.size() + 2 > signs ? "  worst\n" : "worst\n");
    for (const Line& line : lines_) {
      pad(line.label(), label_width + 2);
      draw_shades(line, charset, color, out);
      out << std::string(2 + (heading.size() > signs ? heading.size() - signs : 0), ' ')
          << (line.worst() > 0 ? percent_text(line.worst()) : "-") << "\n";
    }
    if (left_out_ > 0)
      out << with_commas(static_cast<std::int64_t>(left_out_)) << " more ranks, at most "
          << percent_text(most_left_out_) << "\n";
    explain(charset, out);
  }

 private:
  std::string heading_text() const {
    std::string text = column_name_ + (columns_.size() == 1 ? " " : "s ") + std::to_string(columns_.front());
    if (columns_.size() > 1) text += "-" + std::to_string(columns_.back());
    if (per_sign_ > 1) text += ", " + std::to_string(per_sign_) + " a sign";
    return text;
  }

  static void draw_shades(const Line& line, Charset charset, Color color, Out& out) {
    std::string_view current;
    for (const std::int64_t value : line.values) {
      const Shade& shade = shade_of(value);
      if (color == Color::kYes && shade.color != current) {
        if (!current.empty()) out << kPlain;
        out << shade.color;
        current = shade.color;
      }
      out << (charset == Charset::kAscii ? shade.ascii : shade.unicode);
    }
    if (!current.empty()) out << kPlain;
  }

  static void explain(Charset charset, Out& out) {
    for (std::size_t i = 0; i < kShades.size(); ++i) {
      const Shade& shade = kShades[i];
      out << (i == 0 ? "" : "  ") << (charset == Charset::kAscii ? shade.ascii : shade.unicode) << " ";
      if (i == 0) out << "under 1 %";
      else out << (i == 1 ? "from " : "") << std::to_string(shade.from_hundredths / 100) << " %";
    }
    out << "\n";
  }

  std::string column_name_;
  std::vector<std::int64_t> columns_;
  std::vector<Line> lines_;
  std::size_t per_sign_ = 1;
  std::size_t left_out_ = 0;
  std::int64_t most_left_out_ = 0;
};

}  // namespace

void draw_map(const result::Table& table, const RenderOptions& options, Out& out) {
  HeatMap map(table);
  if (map.empty()) {
    out << "  (nothing)\n";
    return;
  }
  map.squeeze(options.width);
  map.fold();
  map.draw(options.charset, options.color, out);
}

}  // namespace hta::report
