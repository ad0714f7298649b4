#include "hta/report/render.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace hta::report {
namespace {

// Qualifiers that nearly every kernel of PyTorch carries.
constexpr std::array<std::string_view, 4> kNoise = {"(anonymous namespace)::", "at::native::", "c10::", "at::"};

std::string demangled(std::string_view name) {
  std::string text(name);
  if (!text.starts_with("_Z")) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

bool in_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void drop_noise(std::string& text) {
  for (const std::string_view noise : kNoise) {
    for (std::size_t at = text.find(noise); at != std::string::npos; at = text.find(noise, at)) {
      const bool tail_of_another =
          at > 0 && noise.front() != '(' && (in_identifier(text[at - 1]) || text[at - 1] == ':');
      if (tail_of_another) at += noise.size();
      else text.erase(at, noise.size());
    }
  }
}

// Where the pair of parentheses that opens at `open` ends, behind it; `open` itself if it never closes.
std::size_t behind_pair(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return open;
}

// Argument lists follow a name directly; "Memcpy DtoD (Device -> Device)" has none.
void drop_argument_lists(std::string& text) {
  for (std::size_t at = text.find('(', 1); at != std::string::npos; at = text.find('(', at)) {
    const char before = text[at - 1];
    const bool follows_name = in_identifier(before) || before == '>';
    const std::size_t end = follows_name ? behind_pair(text, at) : at;
    if (end == at) ++at;
    else text.erase(at, end - at);
  }
}

// What is left of "::{lambda(float)#1}::operator()(float) const" when the argument lists are gone.
void drop_lambdas(std::string& text) {
  for (std::size_t at = text.find("::{lambda"); at != std::string::npos; at = text.find("::{lambda", at)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) return;
    text.erase(at, end + 1 - at);
  }
  for (const std::string_view call : {"::operator const", "::operator"}) {
    for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at))
      text.erase(at, call.size());
  }
}

// Template arguments that say how a loop reads its operands, not what it computes.
constexpr std::array<std::string_view, 5> kPlumbing = {
    "detail::Array<", "std::array<char*, ", "TrivialOffsetCalculator<", "memory::LoadWith", "memory::StoreWith"};

// Where a template argument that starts at `start` ends: at its comma or at the bracket that closes the list.
std::size_t argument_end(std::string_view text, std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && depth-- == 0) return i;
    if (text[i] == ',' && depth == 0) return i;
  }
  return text.size();
}

void drop_plumbing(std::string& text) {
  for (const std::string_view plumbing : kPlumbing) {
    const std::string argument = ", " + std::string(plumbing);
    for (std::size_t at = text.find(argument); at != std::string::npos; at = text.find(argument, at))
      text.erase(at, argument_end(text, at + 2) - at);
  }
}

}  // namespace

std::string readable_kernel_name(std::string_view name) {
  std::string text = demangled(name);
  const bool plus_plus = text.starts_with("void ") || text.find('<') != std::string::npos || text.ends_with(')');
  if (!plus_plus || text.find(" -> ") != std::string::npos) return text;
  if (text.starts_with("void ")) text.erase(0, 5);
  drop_noise(text);
  drop_argument_lists(text);
  drop_lambdas(text);
  for (std::size_t at = text.find("> >"); at != std::string::npos; at = text.find("> >", at)) text.erase(at + 1, 1);
  drop_plumbing(text);
  return text;
}

}  // namespace hta::report
