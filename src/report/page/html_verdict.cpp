#include "hta/base/human.h"
#include "hta/base/text.h"
#include "hta/report/render.h"

#include <algorithm>

#include "../summary_words.h"
#include "html.h"
#include "html_table.h"
#include "markup.h"

namespace hta::report::page {
namespace {

using result::CellType;
using result::Finding;
using result::Measure;
using result::Severity;

// "overlap_pct" and 12.10 -> "overlap 12.10 %".
std::string value_text(const Measure& measure) {
  switch (measure.type) {
    case CellType::kText: return measure.text;
    case CellType::kTime: return human_time(measure.number);
    case CellType::kPercent: return fixed_point(measure.number, 2) + " %";
    case CellType::kInteger: return with_commas(measure.number);
    default: return fixed_point(measure.number, result::decimals_of(measure.type));
  }
}

std::string name_text(std::string name) {
  for (const std::string_view suffix : {"_pct", "_us"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// "straggler wait 12.17 %, rank 5": what was measured, and on what.
std::string measured_text(const std::vector<Measure>& evidence) {
  const bool has_subject =
      std::any_of(evidence.begin(), evidence.end(), [](const Measure& measure) { return measure.name == "subject"; });
  std::string text;
  for (const Measure& measure : evidence) {
    if (measure.name == "rank" && has_subject) continue;  // the subject names it
    if (!text.empty()) text += ", ";
    if (measure.name != "subject") text += escaped(name_text(measure.name)) + " ";
    text += "<b>" + escaped(value_text(measure)) + "</b>";
  }
  return text;
}

// "threshold 5.00 %, critical 20.00 %".
std::string threshold_text(const std::vector<Measure>& thresholds) {
  std::string text;
  for (const Measure& measure : thresholds) {
    if (!text.empty()) text += ", ";
    text += measure.name == "warning" ? "threshold" : escaped(name_text(measure.name));
    text += " <b>" + escaped(value_text(measure)) + "</b>";
  }
  return text;
}

void write_finding(const Finding& finding, const std::vector<FindingFigures>& figures, std::string_view paths,
                   Out& out) {
  const std::string_view severity = result::severity_name(finding.severity);
  out << "<li class=\"finding\" id=\"finding-" << escaped(finding.id) << "\">\n<h3><span class=\"severity " << severity
      << "\">" << severity << ":</span> " << escaped(capitalised(finding.title)) << ".</h3>\n";
  out << "<p>" << escaped(finding.recommendation) << "</p>\n<ul class=\"evidence\">\n";
  out << "<li>" << measured_text(finding.evidence) << "</li>\n";
  if (!finding.threshold.empty()) out << "<li>" << threshold_text(finding.threshold) << "</li>\n";
  if (finding.gain) {
    out << "<li>could bring at most <b>" << escaped(value_text(*finding.gain)) << "</b> of GPU time</li>\n";
  }
  out << "</ul>\n";
  if (!finding.next.empty()) out << "<p class=\"next\">Next: <code>" << escaped(finding.next) << "</code></p>\n";
  for (const FindingFigures& of : figures) {
    if (of.finding != finding.id) continue;
    for (const Figure& figure : of.figures) write_figure(figure, paths, out);
  }
  out << "</li>\n";
}

// The answer of a command that does not judge: its sentences, the first one large.
void write_answer(const result::Document& document, Out& out) {
  out << "<section id=\"verdict\" aria-label=\"Verdict\">\n<div class=\"verdict\">\n<h2>Main finding</h2>\n";
  bool first = true;
  for (const std::string& sentence : document.heading) {
    out << (first ? "<p class=\"main-finding\">" : "<p>") << escaped(sentence) << "</p>\n";
    first = false;
  }
  for (const std::string& command : document.next)
    out << "<p class=\"next\">Next: <code>" << escaped(command) << "</code></p>\n";
  out << "</div>\n</section>\n";
}

}  // namespace

void write_verdict(const result::Document& summary, const std::vector<FindingFigures>& figures, std::string_view paths,
                   Out& out) {
  if (!summary.summary) return write_answer(summary, out);
  out << "<section id=\"verdict\" aria-label=\"Verdict\">\n<div class=\"verdict\">\n<h2>Main finding</h2>\n<p "
         "class=\"main-finding\">"
      << escaped(capitalised(summary.summary->main_finding)) << "</p>\n<p class=\"bottleneck\">Bottleneck: <strong>"
      << bottleneck_name(summary.summary->bottleneck) << "</strong>.";
  if (summary.heading.size() > 1) out << " " << escaped(summary.heading[1]);
  out << "</p>\n</div>\n";
  if (!summary.findings.empty()) {
    out << "<h2 id=\"findings\">Findings and what to do</h2>\n<ol class=\"findings\">\n";
    for (const Finding& finding : summary.findings) write_finding(finding, figures, paths, out);
    out << "</ol>\n";
  }
  out << "</section>\n";
}

void write_load(const result::Document& summary, Out& out) {
  out << "<section id=\"load\" aria-labelledby=\"load-title\">\n<h2 id=\"load-title\">What was loaded</h2>\n";
  if (summary.summary && !summary.heading.empty()) out << "<p>" << escaped(summary.heading.front()) << "</p>\n";
  if (const result::Table* load = summary.find_table("load"); load != nullptr && load->rows() > 0)
    out << "<p class=\"facts\">" << escaped(load_list(*load)) << ".</p>\n";
  if (const std::string line = quality_line(summary, Detail::kVerbose); !line.empty())
    out << "<p class=\"facts\">" << escaped(line) << ".</p>\n";
  std::vector<const result::Note*> notes;
  for (const result::Note& note : summary.notes) notes.push_back(&note);
  if (!notes.empty()) {
    std::stable_sort(notes.begin(), notes.end(),
                     [](const result::Note* a, const result::Note* b) { return a->severity > b->severity; });
    constexpr std::size_t kNotesInPage = 30;
    out << "<details><summary>Notes about the input (" << std::to_string(notes.size())
        << ")</summary>\n<ul class=\"notes\">\n";
    for (std::size_t i = 0; i < notes.size() && i < kNotesInPage; ++i)
      out << "<li>" << escaped(notes[i]->message) << "</li>\n";
    if (notes.size() > kNotesInPage) out << "<li>… <code>hta info</code> tells the rest</li>\n";
    out << "</ul></details>\n";
  }
  out << "</section>\n";
}

}  // namespace hta::report::page
