#include "hta/report/render.h"

namespace hta::report {
namespace {

// RFC 4180: quotes around what holds a separator, a quote, or a line break; quotes inside are doubled.
void put_field(std::string_view field, Out& out) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out << field;
    return;
  }
  out.put('"');
  for (const char c : field) {
    if (c == '"') out.put('"');
    out.put(c);
  }
  out.put('"');
}

}  // namespace

void render_csv(const result::Table& table, Out& out) {
  const bool windows = table.has_windows();
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (i > 0) out.put(',');
    put_field(table.columns()[i].name, out);
  }
  if (windows) out << ",window";
  out << "\r\n";
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      if (i > 0) out.put(',');
      put_field(table.plain(row, i), out);
    }
    if (windows) {
      out.put(',');
      if (const auto window = table.window(row)) out << std::to_string(*window);
    }
    out << "\r\n";
  }
}

}  // namespace hta::report
