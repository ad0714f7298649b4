#include "page/chart.h"

#include "page/chart_json.h"
#include "page/figures/parts.h"
#include "page/svg.h"
#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::report;
using namespace hta::report::page;
using enum hta::result::CellType;

namespace {

std::string svg_of(const Plot& plot, std::string_view label = "label") {
  std::string text;
  {
    Out out([&](std::string_view bytes) { text += bytes; });
    write_svg(plot, label, out);
  }
  return text;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Bars two_ranks() {
  Bars bars;
  bars.label_title = "rank";
  bars.labels = {"0", "1"};
  bars.series = {{"compute", Tone::kCompute, {60'000'000, 80'000'000}},
                 {"idle", Tone::kIdle, {20'000'000, std::nullopt}}};
  return bars;
}

Tracks one_window() {
  Tracks tracks;
  tracks.window = {1'000, 11'000};
  tracks.tracks = {"stream 7", "stream 20"};
  tracks.names = {"gemm", "<img src=x>"};
  tracks.items = {{0, 0, Tone::kCompute, {2'000, 7'000}}, {1, 1, Tone::kCommunication, {0, 12'000}}};
  tracks.marked = Interval{3'000, 4'000};
  return tracks;
}

}  // namespace

TEST_CASE("svg: stacked bars lie behind each other and share the axis") {
  const std::string svg = svg_of(two_ranks());
  // The axis ends at 80 ms: 60 of it are three quarters.
  CHECK(holds(
      svg,
      R"(<rect class="f-compute" x="0%" y="4" width="75%" height="14"><title>rank 0, compute: 60.000 ms</title>)"));
  CHECK(holds(svg,
              R"(<rect class="f-idle" x="75%" y="4" width="25%" height="14"><title>rank 0, idle: 20.000 ms</title>)"));
  CHECK(holds(svg, R"(<rect class="f-compute" x="0%" y="26" width="100%" height="14">)"));
  CHECK(count(svg, "<rect") == 3);  // a missing value draws nothing
  CHECK(holds(svg, ">80 ms</text>"));
}

TEST_CASE("svg: values below zero go to the left of it") {
  Bars bars;
  bars.layout = Bars::Layout::kNamedRows;
  bars.labels = {"less", "more"};
  bars.series = {{"change", Tone::kAccent, {-20'000'000, 40'000'000}}};
  const std::string svg = svg_of(bars);
  // From -20 to 40 in steps of 20: zero lies at a third.
  CHECK(holds(svg, R"(x="0%" y="19" width="33.33%")"));
  CHECK(holds(svg, R"(x="33.33%" y="55" width="66.66%")"));
}

TEST_CASE("svg: a histogram has a bar for each bucket that holds something") {
  Bars bars;
  bars.layout = Bars::Layout::kHistogram;
  bars.unit = kInteger;
  bars.labels = {"1 µs", "2 µs", "5 µs", "10 µs"};
  bars.series = {{"", Tone::kAccent, {2, 0, 4, 1}}};
  const std::string svg = svg_of(bars);
  CHECK(count(svg, "<rect") == 3);
  CHECK(holds(svg, R"(<rect class="f-accent" x="50%" y="16" width="23.75%" height="184"><title>5 µs: 4</title>)"));
}

TEST_CASE("svg: a series holds its value until the next point and to the end") {
  Lines lines;
  lines.x_unit = kTime;
  lines.y_unit = kInteger;
  lines.lines = {{"queue", Tone::kFirst, {{0, 2}, {5'000, 4}, {10'000, 0}}}};
  // 16 pixels of room above: 4 is at 16, 2 in the middle, 0 at 200.
  CHECK(holds(svg_of(lines), R"(d="M0 108H5000V16H10000V200H10000")"));
}

TEST_CASE("svg: points and marks are dots that tell their value") {
  Lines lines;
  lines.shape = Lines::Shape::kPoints;
  lines.x_unit = kInteger;
  lines.y_unit = kTime;
  lines.x_title = "step";
  lines.lines = {{"duration", Tone::kAccent, {{1, 10'000'000}, {3, 20'000'000}}}};
  lines.marks = {{3, 20'000'000, "stands out"}};
  const std::string svg = svg_of(lines);
  CHECK(count(svg, "<circle") == 3);
  CHECK(holds(svg, "<title>duration, step 1: 10.000 ms</title>"));
  CHECK(holds(svg, "<title>stands out</title>"));
}

TEST_CASE("svg: the strength of a cell follows its value, and missing ones are left out") {
  Heat heat;
  heat.x_labels = {"a", "b"};
  heat.y_labels = {"0", "1"};
  heat.full = 10'000;
  heat.values = {0, 10'000, std::nullopt, 5'000};
  const std::string svg = svg_of(heat);
  CHECK(count(svg, "<rect") == 3);
  CHECK(holds(svg, R"(class="heat h0" x="0%" y="1")"));
  CHECK(holds(svg, R"(class="heat h10" x="50%" y="1")"));
  CHECK(holds(svg, R"(class="heat h5" x="50%" y="19")"));
}

TEST_CASE("svg: events are cut to the window, names are text, the place is shaded") {
  const std::string svg = svg_of(one_window());
  CHECK(holds(svg, R"(<rect class="f-compute" x="10%" y="3" width="50%" height="18"><title>gemm: 5.000 µs</title>)"));
  CHECK(holds(svg, R"(<rect class="f-comm" x="0%" y="25" width="100%" height="18">)"));
  CHECK(holds(svg, R"(<rect class="marked" x="20%" y="0" width="10%" height="48"/>)"));
  CHECK(holds(svg, "&lt;img src=x&gt;"));
  CHECK_FALSE(holds(svg, "<img"));
}

TEST_CASE("svg: the picture has a label, and as much height as the page is told") {
  for (const Plot& plot : {Plot(two_ranks()), Plot(one_window())}) {
    const std::string svg = svg_of(plot, "a \"label\"");
    CHECK(holds(svg, "role=\"img\" aria-label=\"a &quot;label&quot;\""));
    CHECK(holds(svg, "height=\"" + std::to_string(height_of(plot)) + "\""));
    CHECK(svg.ends_with("</svg>\n"));
  }
}

TEST_CASE("chart JSON: values in the unit that is named, missing ones as null") {
  CHECK(
      chart_json(two_ranks()) ==
      R"({"height":68,"kind":"bars","layout":"rows","unit":"ms","decimals":3,"title":"rank","labels":["0","1"],)"
      R"("series":[{"name":"compute","tone":"compute","values":[60,80]},{"name":"idle","tone":"idle","values":[20,null]}]})");
  CHECK(
      chart_json(one_window()) ==
      R"({"height":68,"kind":"tracks","unit":"µs","length":10,"tracks":["stream 7","stream 20"],"names":["gemm","<img src=x>"],)"
      R"("items":[[0,1,6,0,"compute"],[1,-1,11,1,"comm"]],"marked":[2,3]})");
}

TEST_CASE("legend: what a colour means, where there is more than one or a name") {
  CHECK(legend_of(two_ranks()).size() == 2);
  Bars alone = two_ranks();
  alone.series.resize(1);
  alone.series[0].name.clear();
  CHECK(legend_of(alone).empty());
  const auto tones = legend_of(one_window());
  REQUIRE(tones.size() == 2);
  CHECK(tones[0].name == "computation");
  CHECK(tones[1].name == "communication");
}

TEST_CASE("a chart without a value other than zero has no marks") {
  Bars bars = two_ranks();
  CHECK(has_marks(bars));
  bars.series = {{"", Tone::kAccent, {0, std::nullopt}}};
  CHECK_FALSE(has_marks(bars));
  CHECK_FALSE(has_marks(Lines()));
  CHECK_FALSE(has_marks(Heat()));
  CHECK_FALSE(has_marks(Tracks()));
}

TEST_CASE("of many rows the most unusual stay, and one row is the mean of the others") {
  Bars bars;
  bars.series = {{"", Tone::kAccent, {}}};
  for (int i = 0; i < 100; ++i) {
    bars.labels.push_back(std::to_string(i));
    bars.series[0].values.emplace_back(i == 70 ? 500 : i == 20 ? 10 : 100 + i % 2);
  }
  CHECK(keep_unusual(bars, "rank", 3) ==
        " The 2 ranks farthest from the median are shown, and the mean of the other 98.");
  CHECK(bars.labels == std::vector<std::string>{"20", "70", "mean of 98"});
  CHECK(bars.series[0].values == std::vector<Value>{10, 500, 101});  // (49 * 100 + 49 * 101 + 1) / 98, rounded
  Bars few = two_ranks();
  CHECK(keep_unusual(few, "rank").empty());
  CHECK(few.labels.size() == 2);
}
