#pragma once
// One function a kind of chart; svg.cpp calls them.

#include "svg_canvas.h"

namespace hta::report::page {

void draw(const Bars& bars, std::string_view label, Canvas& canvas);
void draw(const Lines& lines, std::string_view label, Canvas& canvas);
void draw(const Heat& heat, std::string_view label, Canvas& canvas);
void draw(const Tracks& tracks, std::string_view label, Canvas& canvas);

int height_of(const Bars& bars);
int height_of(const Lines& lines);
int height_of(const Heat& heat);
int height_of(const Tracks& tracks);

inline constexpr int kAxisRoom = 20;      ///< below the marks, for labels
inline constexpr int kColumnsRoom = 200;  ///< height of standing charts without their labels

}  // namespace hta::report::page
