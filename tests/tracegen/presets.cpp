#include "presets.h"

#include <sstream>

#include "options.h"
#include <fmt/format.h>

namespace tracegen {
namespace {

struct Preset {
  std::string_view name;
  std::string_view flags;
};

constexpr Preset kPresets[] = {
    {"tiny", "--ranks 2 --steps 2 --layers 2"},
    {"real", "--ranks 8 --steps 4 --layers 24"},
    {"m100", "--ranks 1 --target-bytes 100000000 --gzip 0 --truth none"},
    {"g1", "--ranks 1 --target-bytes 1000000000 --gzip 0 --truth none"},
    {"stack100", "--ranks 1 --target-bytes 100000000 --gzip 0 --truth none --python-stack 12"},
    {"wide", "--ranks 1000 --steps 2 --layers 8 --no-shapes"},
    // One of each thing that makes a run slow, small enough to be kept with the sources: a slow GPU all the way, a
    // loader stall in one step, a slow host in another, and communication that the backward pass cannot hide.
    {"demo",
     "--ranks 8 --steps 6 --layers 8 --memory --sync-events --item-every 1 --ar-ns-per-mb 12000 --gzip 9 "
     "--slow-rank 5:118 --stall 2:2:14000000 --launch-delay 6:4:1700"},
    // Nothing to complain about: the GPU always has work, and all but the last sliver of communication is hidden.
    {"healthy",
     "--ranks 8 --steps 6 --layers 12 --bucket-layers 1 --ar-ns-per-mb 3000 --item-every 1 --jitter 1 --loader-ns "
     "60000 "
     "--copy-bytes 131072 --sync-events"},
};

}  // namespace

std::string preset_help() {
  std::string text = "Presets:\n";
  for (const Preset& preset : kPresets) text += fmt::format("  {:<9} {}\n", preset.name, preset.flags);
  return text;
}

std::vector<std::string> preset_flags(std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name != name) continue;
    std::istringstream words{std::string(preset.flags)};
    std::vector<std::string> flags;
    for (std::string word; words >> word;) flags.push_back(word);
    return flags;
  }
  throw UsageError(fmt::format("no preset '{}'", name));
}

}  // namespace tracegen
