#include "report.h"

#include "hta/analysis/diff.h"
#include "hta/analysis/registry.h"
#include "hta/base/human.h"
#include "hta/report/page.h"

#include <unistd.h>

#include "digest_run.h"
#include "files.h"
#include <fmt/format.h>

namespace hta::cli {
namespace {

using analysis::OptionKind;
using analysis::OptionSpec;

constexpr std::array kOwnOptions{
    OptionSpec{"diff", OptionKind::kFlag, "", "", "compare two runs: PATH is BASE and TEST", ""},
};
constexpr std::array kOptions = analysis::join(kOwnOptions, kRulesOptions);
constexpr std::string_view kDefaultName = "hta-report.html";

// Where the page goes; empty is standard output.
Result<std::string> target_of(const CommonOptions& common) {
  const auto html_only = [](std::string_view what) {
    return Error{
        ErrorCode::kUsage, "", std::string(what) + ": hta report writes HTML; hta summary has other formats", {}};
  };
  if (common.format) return html_only("--format");
  if (!common.output_dir.empty()) return html_only("--output-dir");
  if (!common.sort.empty()) return html_only("--sort");
  if (report::format_of_file(common.output)) return html_only(common.output);
  if (common.output == "-") return std::string();
  if (!common.output.empty()) return common.output;
  return isatty(STDOUT_FILENO) != 0 ? std::string(kDefaultName) : std::string();
}

ExitStatus write_page(const report::PageInput& input, const std::string& target, const CommonOptions& common) {
  if (!target.empty() && is_input(target, *input.summary))
    return fail({ErrorCode::kUsage, target, "is an input; choose another name", {}});
  std::int64_t bytes = 0;
  const auto fill = [&](report::Out& out) {
    report::Out counting([&](std::string_view text) {
      bytes += static_cast<std::int64_t>(text.size());
      out << text;
    });
    report::render_page(input, counting);
    return Status();
  };
  if (Status status = write_file(target, fill); !status) return fail(status.error());
  if (!report::has_chart_library())
    warn(common,
         "this build has no chart library: the charts of the page are pictures (scripts/fetch-echarts, then build)");
  if (!target.empty() && !common.quiet) fmt::print(stderr, "hta: wrote {} ({})\n", target, human_bytes(bytes));
  return ExitStatus::kDone;
}

// Everything about one run.
std::vector<Job> page_jobs(const Invocation& invocation) {
  std::vector<Job> jobs = digest_jobs(invocation);
  const auto files = input::list_files(invocation.common.paths, invocation.common.recursive);
  for (const report::PageAnalysis& of_page : report::page_analyses(files ? files->files.size() : 0)) {
    const analysis::AnalysisSpec* spec = analysis::find_analysis(of_page.name);
    if (spec == nullptr) continue;
    jobs.push_back(default_job(*spec, invocation));
    jobs.back().options.tables.assign(of_page.tables.begin(), of_page.tables.end());
  }
  return jobs;
}

// What is on the page: what stands on top of it, and the answers that it draws.
struct Page {
  std::optional<result::Document> digest;  // of two runs the answer of diff speaks for itself
  Analysed analysed;
  result::Document& summary() { return digest ? *digest : analysed.documents.front(); }
};

Result<Page> page_of_run(const Invocation& invocation) {
  const auto rules = rule_book(invocation.options);
  if (!rules) return rules.error();
  auto analysed = analyse(page_jobs(invocation), invocation.common, Paths::kOneRun);
  if (!analysed) return analysed.error();
  result::Document summary = digest_of(*analysed, invocation, *rules);
  return Page{std::move(summary), std::move(analysed).value()};
}

Result<Page> page_of_two_runs(const Invocation& invocation) {
  if (invocation.common.paths.size() != 2)
    return Error{ErrorCode::kUsage, "", "--diff compares two runs; give BASE and TEST", {}};
  auto analysed = analyse({default_job(analysis::kDiff, invocation)}, invocation.common, Paths::kTwoRuns);
  if (!analysed) return analysed.error();
  return Page{std::nullopt, std::move(analysed).value()};
}

ExitStatus run(const Command&, Invocation& invocation) {
  const CommonOptions& common = invocation.common;
  const auto target = target_of(common);
  if (!target) return fail(target.error());
  auto page = invocation.options.flag("diff") ? page_of_two_runs(invocation) : page_of_run(invocation);
  if (!page) return fail(page.error());
  complete_next(common, page->summary());
  warn_of_notes(common, page->summary());
  const ExitStatus written =
      write_page({&page->summary(), page->analysed.documents, paths_text(common)}, *target, common);
  if (written != ExitStatus::kDone) return written;
  return page->analysed.lost_data && common.strict ? ExitStatus::kLossy : ExitStatus::kDone;
}

}  // namespace

Command report_command() {
  return {"report",
          "everything on one HTML page, to read or to attach to a ticket",
          "Runs the analyses in one pass over the files and writes one self-contained HTML page: the verdict of hta "
          "summary, then charts with their tables. The page needs no network and no other file. Without -o it goes to "
          "hta-report.html, or to standard output if that is no terminal.",
          Paths::kOneRun,
          {},
          kOptions,
          nullptr,
          &run};
}

}  // namespace hta::cli
