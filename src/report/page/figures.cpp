#include "figures.h"

#include <algorithm>
#include <utility>

namespace hta::report::page {
namespace {

std::vector<Figure> joined(std::vector<Figure> first, std::vector<Figure> second) {
  for (Figure& figure : second) first.push_back(std::move(figure));
  return first;
}

// A chart without marks is no chart: what it says stays.
void drop_empty_plots(Contents& contents) {
  for (Section& section : contents.sections) {
    for (Figure& figure : section.figures) {
      if (!figure.plot || has_marks(*figure.plot)) continue;
      figure.plot.reset();
      figure.excerpt.reset();
      figure.how.clear();
      if (figure.caption.empty()) figure.caption = "There is nothing to show.";
    }
  }
}

}  // namespace

Contents contents_of(const PageInput& input) {
  const Answers answers(input.answers);
  Contents out;
  if (const result::Document* diff = answers.document("diff")) {
    out.sections = comparison_sections(*diff);
    drop_empty_plots(out);
    return out;
  }
  out.of_findings = place_figures(input, answers);
  out.sections = {
      {"time", "Where GPU time goes", time_figures(input, answers)},
      {"idle", "Why GPUs are idle", idle_figures(answers)},
      {"communication", "Communication", communication_figures(answers)},
      {"steps", "Steps", step_figures(answers)},
      {"launches", "Launches, copies, memory", joined(launch_figures(answers), over_time_figures(answers))},
      {"critical-path", "Critical path", critical_path_figures(answers)},
  };
  // The step of all ranks stands beside the finding about a rank, if there is one.
  std::optional<Figure> ranks = step_of_ranks(answers);
  const bool shown = std::any_of(out.of_findings.begin(), out.of_findings.end(),
                                 [&](const FindingFigures& of) { return ranks && of.figures.front().id == ranks->id; });
  if (ranks && !shown) out.sections[3].figures.push_back(std::move(*ranks));
  drop_empty_plots(out);
  std::erase_if(out.sections, [](const Section& section) { return section.figures.empty(); });
  return out;
}

}  // namespace hta::report::page
