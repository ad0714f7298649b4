#include "hta/base/text.h"
#include "hta/report/render.h"

#include <algorithm>

#include "summary_words.h"
#include "text_layout.h"

namespace hta::report {
namespace {

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";
constexpr std::size_t kRowsForPeople = 10;

struct Parts {
  std::string quality;
  std::string load;
  std::string categories;
  std::string bottleneck;
  std::string evidence;
  std::string left_out;
  const result::Table* kernels = nullptr;
};

Parts parts_of(const result::Document& document, const RenderOptions& options) {
  Parts parts;
  parts.quality = quality_line(document, options.detail);
  if (!document.heading.empty()) parts.load = document.heading.front();
  if (document.heading.size() > 1) parts.evidence = document.heading[1];
  if (document.heading.size() > 2) parts.left_out = document.heading[2];
  if (const result::Table* load = document.find_table("load")) parts.categories = load_list(*load);
  parts.bottleneck = bottleneck_name(document.summary->bottleneck);
  parts.kernels = document.find_table("top_kernels");
  return parts;
}

void markdown(const result::Document& document, const RenderOptions& options, Out& out) {
  const Parts parts = parts_of(document, options);
  out << "## Trace Analysis Summary\n";
  if (!parts.quality.empty()) out << "> " << parts.quality << "\n\n";
  out << markdown_escaped(parts.load) << " " << markdown_escaped(parts.categories) << ".\n\n";
  out << "**Main Finding**: " << markdown_escaped(capitalised(document.summary->main_finding)) << "\n\n";
  if (parts.kernels != nullptr && parts.kernels->rows() > 0) {
    out << "### Top GPU Kernels (by time)\n| % Time | Calls | Avg (μs) | Kernel |\n|--:|--:|--:|---|\n";
    const result::Table& kernels = *parts.kernels;
    for (std::size_t row = 0; row < kernels.rows(); ++row) {
      out << "| " << kernels.plain(row, 0) << " | " << with_commas(kernels.number(row, 1)) << " | "
          << kernels.plain(row, 2) << " | " << markdown_escaped(human_cell(kernels, row, 4)) << " |\n";
    }
    out << "\n";
  }
  out << "### Bottleneck: " << parts.bottleneck << "\n" << markdown_escaped(parts.evidence) << "\n\n";
  if (!document.findings.empty()) {
    out << "### Recommendations\n";
    std::size_t number = 0;
    for (const result::Finding& finding : document.findings) {
      out << std::to_string(++number) << ". **" << markdown_escaped(capitalised(finding.title)) << ".** "
          << markdown_escaped(finding.recommendation) << "\n";
    }
    out << "\n";
  }
  if (!parts.left_out.empty()) out << markdown_escaped(parts.left_out) << "\n\n";
  out << "**Want deeper analysis?**";
  for (const std::string& command : document.next) out << " `" << command << "`";
  out << "\n";
}

void terminal(const result::Document& document, const RenderOptions& options, Out& out) {
  const Parts parts = parts_of(document, options);
  const std::size_t width = options.width;
  const auto bold = [&](std::string_view text) {
    if (options.color == Color::kYes) out << kBold << text << kPlain;
    else out << text;
  };
  const auto line = [&](std::string_view text, std::string_view indent = "  ") {
    out << wrapped(text, width, indent) << "\n";
  };
  if (!parts.quality.empty()) line(parts.quality);
  line(parts.load);
  line("Events: " + parts.categories + ".");
  out << "\n";
  bold("Main finding");
  out << "\n";
  line("  " + capitalised(document.summary->main_finding));
  if (parts.kernels != nullptr && parts.kernels->rows() > 0) {
    out << "\n";
    bold("Top GPU kernels by time");
    out << "\n  % time     calls       mean  kernel\n";
    const result::Table& kernels = *parts.kernels;
    for (std::size_t row = 0; row < kernels.rows() && (row < kRowsForPeople + 1 || options.max_rows == 0); ++row) {
      const auto right = [&](std::string text, std::size_t columns) {
        return std::string(columns - std::min(columns, display_width(text)), ' ') + text;
      };
      std::string name = human_cell(kernels, row, 4);
      if (width > 0) name = shorten_middle(readable_kernel_name(name), width > 48 ? width - 32 : 16);
      out << right(kernels.plain(row, 0), 8) << right(with_commas(kernels.number(row, 1)), 10)
          << right(human_cell(kernels, row, 2), 11) << "  " << name << "\n";
    }
  }
  out << "\n";
  bold("Bottleneck: " + parts.bottleneck);
  out << "\n";
  line("  " + parts.evidence);
  if (!document.findings.empty()) {
    out << "\n";
    bold("Recommendations");
    out << "\n";
    std::size_t number = 0;
    for (const result::Finding& finding : document.findings) {
      const std::string index = std::to_string(++number) + ". ";
      std::string what = capitalised(finding.title);
      if (finding.severity == result::Severity::kCritical) what += " (critical)";
      line("  " + index + what + ".", "     ");
      line("     " + finding.recommendation, "     ");
    }
  }
  if (!parts.left_out.empty()) {
    out << "\n";
    line(parts.left_out);
  }
  if (!document.next.empty()) {
    out << "\nNext:";
    for (const std::string& command : document.next) {
      out << " ";
      bold(command);
    }
    out << "\n";
  }
}

}  // namespace

void render_summary(const result::Document& document, const RenderOptions& options, Out& out) {
  if (options.format == Format::kMarkdown) markdown(document, options, out);
  else terminal(document, options, out);
}

}  // namespace hta::report
