#include "hta/report/page.h"

#include "hta/version.h"

#include <array>
#include <functional>
#include <map>

#include "assets.h"
#include "chart_json.h"
#include "figures.h"
#include "figures/parts.h"
#include "html.h"
#include "markup.h"

namespace hta::report {
namespace page {
namespace {

constexpr std::array<std::string_view, 1> kCommTables{"comm"};
constexpr std::array<std::string_view, 7> kTimelineTables{
    "places", "place_events", "step_strips", "activity", "queue_over_time", "copies_over_time", "memory_over_time"};
constexpr std::array<std::string_view, 3> kPathTables{"critical_path_summary", "critical_path_ranks", "critical_path"};
constexpr std::size_t kFilesWithPath = 32;  // beyond, only the sums of the paths

// "'sha256-...'" for a content security policy: base64 of the sum that is given in hexadecimal digits.
std::string policy_source(std::string_view sha256) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string base64;
  unsigned bits = 0;
  int held = 0;
  for (const char c : sha256) {
    bits = bits << 4 | digit(c);
    held += 4;
    if (held < 6) continue;
    held -= 6;
    base64 += kDigits[bits >> held & 63];
  }
  if (held > 0) base64 += kDigits[bits << (6 - held) & 63];
  while (base64.size() % 4 != 0) base64 += '=';
  return "'sha256-" + base64 + "'";
}

// The template with each {{name}} replaced by what its writer writes.
void fill(std::string_view text, const std::map<std::string_view, std::function<void(Out&)>>& writers, Out& out) {
  while (true) {
    const std::size_t open = text.find("{{");
    out << text.substr(0, open);
    if (open == std::string_view::npos) return;
    const std::size_t close = text.find("}}", open);
    writers.at(text.substr(open + 2, close - open - 2))(out);
    text.remove_prefix(close + 2);
  }
}

std::string headline(const PageInput& input) {
  return input.paths.empty() ? "Trace report" : input.paths.substr(1);
}

std::string meta_line(const result::Document& document) {
  std::size_t ranks = 0;
  std::uint64_t gpu_events = 0;
  for (const result::Input& input : document.inputs) {
    ranks += input.rank ? 1u : 0u;
    gpu_events += input.gpu_events;
  }
  return counted(static_cast<std::int64_t>(ranks), "rank") + ", " +
         counted(static_cast<std::int64_t>(document.quality.events), "event") + ", " +
         counted(static_cast<std::int64_t>(gpu_events), "GPU event");
}

template <class F>
void for_each_figure(const Contents& contents, F&& visit) {
  for (const FindingFigures& of : contents.of_findings) {
    for (const Figure& figure : of.figures) visit(figure);
  }
  for (const Section& section : contents.sections) {
    for (const Figure& figure : section.figures) visit(figure);
  }
}

void write_nav(const PageInput& input, const Contents& contents, Out& out) {
  const auto link = [&](std::string_view id, std::string_view title) {
    out << "<li><a href=\"#" << escaped(id) << "\">" << escaped(title) << "</a></li>\n";
  };
  link("verdict", "Main finding");
  if (!input.summary->findings.empty()) link("findings", "Findings");
  link("load", "What was loaded");
  for (const Section& section : contents.sections) link(section.id, section.title);
}

void write_content(const PageInput& input, const Contents& contents, Out& out) {
  write_verdict(*input.summary, contents.of_findings, input.paths, out);
  write_load(*input.summary, out);
  for (const Section& section : contents.sections) {
    const std::string id = escaped(section.id);
    out << "<section id=\"" << id << "\" aria-labelledby=\"" << id << "-title\">\n<h2 id=\"" << id << "-title\">"
        << escaped(section.title) << "</h2>\n";
    for (const Figure& figure : section.figures) write_figure(figure, input.paths, out);
    out << "</section>\n";
  }
}

void write_charts(const Contents& contents, Out& out) {
  out.put('{');
  bool first = true;
  for_each_figure(contents, [&](const Figure& figure) {
    if (!figure.plot) return;
    out << (first ? "\n\"" : ",\n\"") << figure.id << "\":" << script_safe(chart_json(*figure.plot));
    first = false;
  });
  out << "\n}";
}

void write_scripts(Out& out) {
  if (has_chart_library()) out << "<script>" << kChartLibrary.text << "</script>\n";
  out << "<script>" << kPageScript.text << "</script>\n";
}

void write_footer(Out& out) {
  out << "<p>Written by hta " << kVersion
      << ". Times are exact to the nanosecond before rounding for display; percentages are of GPU time unless "
      << "they say otherwise.";
  if (has_chart_library()) {
    out << " Charts: Apache ECharts " << HTA_ECHARTS_VERSION
        << ", Apache License 2.0. With a chart in focus, + and − zoom, arrows move, 0 shows "
           "all.</p>\n";
  } else {
    out << " This build of hta has no chart library: the charts are pictures.</p>\n";
  }
}

}  // namespace
}  // namespace page

bool has_chart_library() {
  return !page::kChartLibrary.text.empty();
}

std::vector<PageAnalysis> page_analyses(std::size_t files) {
  const std::span path(page::kPathTables);
  return {{"comm", page::kCommTables},
          {"timeline", page::kTimelineTables},
          {"critical-path", files > page::kFilesWithPath ? path.first(2) : path}};
}

void render_page(const PageInput& input, Out& out) {
  using namespace page;
  const Contents contents = contents_of(input);
  std::string scripts = policy_source(kPageScript.sha256);
  if (has_chart_library()) scripts = policy_source(kChartLibrary.sha256) + " " + scripts;
  const std::string title = headline(input);
  fill(kPageTemplate.text,
       {{"script-sources", [&](Out& to) { to << scripts; }},
        {"version", [&](Out& to) { to << kVersion; }},
        {"title", [&](Out& to) { to << "hta report: " << escaped(title); }},
        {"style", [&](Out& to) { to << kPageStyle.text; }},
        {"dark-style", [&](Out& to) { to << kDarkStyle.text; }},
        {"command", [&](Out& to) { to << "report"; }},
        {"headline", [&](Out& to) { to << escaped(title); }},
        {"meta", [&](Out& to) { to << escaped(meta_line(*input.summary)); }},
        {"nav", [&](Out& to) { write_nav(input, contents, to); }},
        {"content", [&](Out& to) { write_content(input, contents, to); }},
        {"footer", [&](Out& to) { write_footer(to); }},
        {"charts", [&](Out& to) { write_charts(contents, to); }},
        {"scripts", [&](Out& to) { write_scripts(to); }}},
       out);
}

}  // namespace hta::report
