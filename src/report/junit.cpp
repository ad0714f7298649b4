#include "hta/report/junit.h"

#include <algorithm>

namespace hta::report {
namespace {

// Text of an attribute or element; characters that XML does not know become U+FFFD.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      case '\t':
      case '\n':
      case '\r': out += ' '; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) out += "\xEF\xBF\xBD";
        else out += c;
    }
  }
  return out;
}

std::size_t count(const result::Document& document, result::GateOutcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(document.gates.begin(), document.gates.end(),
                    [&](const result::GateReport& gate) { return gate.outcome == outcome; }));
}

}  // namespace

std::string junit(const result::Document& document) {
  using result::GateOutcome;
  const std::string totals = "tests=\"" + std::to_string(document.gates.size()) + "\" failures=\"" +
                             std::to_string(count(document, GateOutcome::kFail)) + "\" errors=\"" +
                             std::to_string(count(document, GateOutcome::kInsufficient)) + "\"";
  const std::string name = "hta " + escaped(document.command);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" + name + "\" " + totals + ">\n";
  out += "  <testsuite name=\"" + name + "\" " + totals + ">\n";
  for (const result::GateReport& gate : document.gates) {
    const std::string sentence = escaped(gate.sentence);
    const std::string reason = gate.why.empty() ? "" : " Why it is there: " + escaped(gate.why);
    out += "    <testcase classname=\"hta." + escaped(document.command) + "\" name=\"" + escaped(gate.gate) + "\">\n";
    switch (gate.outcome) {
      case GateOutcome::kFail:
        out += "      <failure message=\"" + sentence + "\">" + sentence + reason + "</failure>\n";
        break;
      case GateOutcome::kInsufficient:
        out += "      <error message=\"" + sentence + "\">" + sentence + reason + "</error>\n";
        break;
      case GateOutcome::kPass:
      case GateOutcome::kNoise: out += "      <system-out>" + sentence + "</system-out>\n"; break;
    }
    out += "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace hta::report
