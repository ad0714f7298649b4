#include "figures.h"

namespace hta::report::page {

std::vector<Section> sections_of(const PageInput& input) {
  const Answers answers(input.answers);
  std::vector<Section> sections{
      {"time", "Where GPU time goes", time_figures(input, answers)},
  };
  std::erase_if(sections, [](const Section& section) { return section.figures.empty(); });
  return sections;
}

}  // namespace hta::report::page
