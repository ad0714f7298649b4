#include "hta/analysis/collective_kind.h"

#include <array>
#include <string>

namespace hta::analysis {
namespace {

struct Spelling {
  std::string_view part;  // of the name in lower case, without anything but letters
  std::string_view kind;
};
// The first that occurs decides: longer words stand before those they contain.
constexpr std::array kSpellings{
    Spelling{"reducescatter", "reduce_scatter"},
    Spelling{"allreduce", "all_reduce"},
    Spelling{"crossdevicereduce", "all_reduce"},
    Spelling{"allgather", "all_gather"},
    Spelling{"alltoall", "all_to_all"},
    Spelling{"deepep", "all_to_all"},
    Spelling{"dpskep", "all_to_all"},
    Spelling{"broadcast", "broadcast"},
    Spelling{"barrier", "barrier"},
    Spelling{"send", "send_recv"},
    Spelling{"recv", "send_recv"},
    Spelling{"scatter", "scatter"},
    Spelling{"gather", "gather"},
    Spelling{"reduce", "reduce"},
};

}  // namespace

std::string_view collective_kind(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == '(' || c == '<') break;  // arguments say nothing about the operation
    if (c >= 'a' && c <= 'z') letters += c;
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
  }
  for (const Spelling& spelling : kSpellings) {
    if (letters.find(spelling.part) != std::string::npos) return spelling.kind;
  }
  return "other";
}

}  // namespace hta::analysis
