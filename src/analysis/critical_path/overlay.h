#pragma once
// The path as elements of a trace file: a track of its pieces, and arrows between what follows on what.

#include "hta/analysis/critical_path.h"

#include <cstdint>
#include <string>

#include "path.h"

namespace hta::analysis::critical_path {

enum class Keep : std::uint8_t { kAll, kCritical };

/// Everything but the name of the track, which tells the rank.
OverlayParts overlay_parts(const RankPath& path, Keep keep);
/// The elements that name the track.
std::vector<std::string> overlay_track(const RankContext& context);

}  // namespace hta::analysis::critical_path
