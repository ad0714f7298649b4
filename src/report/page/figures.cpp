#include "figures.h"

#include <utility>

namespace hta::report::page {
namespace {

std::vector<Figure> joined(std::vector<Figure> first, std::vector<Figure> second) {
  for (Figure& figure : second) first.push_back(std::move(figure));
  return first;
}

}  // namespace

std::vector<Section> sections_of(const PageInput& input) {
  const Answers answers(input.answers);
  if (const result::Document* diff = answers.document("diff")) return comparison_sections(*diff);
  std::vector<Section> sections{
      {"time", "Where GPU time goes", time_figures(input, answers)},
      {"idle", "Why GPUs are idle", idle_figures(answers)},
      {"communication", "Communication", communication_figures(answers)},
      {"steps", "Steps", step_figures(answers)},
      {"launches", "Launches, copies, memory", joined(launch_figures(answers), over_time_figures(answers))},
      {"critical-path", "Critical path", critical_path_figures(answers)},
  };
  std::erase_if(sections, [](const Section& section) { return section.figures.empty(); });
  return sections;
}

}  // namespace hta::report::page
