#include "hta/analysis/diff/names.h"

#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::analysis::diff;

namespace {
constexpr auto kCompute = KernelType::kComputation;

std::vector<std::string> names_of(const MatchedNames& matched) {
  std::vector<std::string> out;
  for (const auto& row : matched.rows) out.push_back(row.name);
  return out;
}
using Names = std::vector<std::string>;
}  // namespace

TEST_CASE("names: template arguments, parameters and the return type are dropped") {
  CHECK(normal_form("void at::native::vec_kernel<4, float>(int, float*)") == "at::native::vec_kernel");
  CHECK(normal_form("ns::outer<a<b>, c>::inner<d>") == "ns::outer::inner");
  CHECK(normal_form("gemm") == "gemm");
  CHECK(normal_form("") == "");
}

TEST_CASE("names: an arrow closes no template argument") {
  CHECK(normal_form("f<decltype(a->b)>(int)") == "f");
}

TEST_CASE("names: shift operators open no template argument") {
  CHECK(normal_form("ns::operator<<(int)") == "ns::operator<<");
  CHECK(normal_form("ns::operator<<<int>(int)") == "ns::operator<<<int>");
}

TEST_CASE("names: a bracket without partner stays") {
  CHECK(normal_form("less<than") == "less<than");
  CHECK(normal_form("a<b<c>") == "a<b");
  CHECK(normal_form("more>than") == "more>than");
}

TEST_CASE("names: parentheses go only where they end the name and something stands before") {
  CHECK(normal_form("f(int)(float)") == "f(int)");
  CHECK(normal_form("(anonymous)") == "(anonymous)");
  CHECK(normal_form("ns::(anonymous namespace)::f(int)") == "ns::(anonymous namespace)::f");
  CHECK(normal_form("Memcpy HtoD (Pageable -> Device)") == "Memcpy HtoD");
  CHECK(normal_form("f)") == "f)");
}

TEST_CASE("names: hashes between underscores become a sign") {
  CHECK(normal_form("kernel_0a1b2c3d_e") == "kernel_#_e");
  CHECK(normal_form("kernel_0A1B2C3D4E") == "kernel_#");
  CHECK(normal_form("kernel_abcdefab") == "kernel_abcdefab");  // no digit: a word
  CHECK(normal_form("kernel_0a1b2c3") == "kernel_0a1b2c3");    // too short
  CHECK(normal_form("sm90_bf16bf16_x") == "sm90_#_x");
}

TEST_CASE("names: Triton's running number is dropped, others stay") {
  CHECK(normal_form("triton_poi_fused_add_17") == "triton_poi_fused_add");
  CHECK(normal_form("triton_red_2_3") == "triton_red_2");
  CHECK(normal_form("cutlass_3") == "cutlass_3");
  CHECK(normal_form("triton_poi_") == "triton_poi_");
}

TEST_CASE("names: blanks around the rest are dropped") {
  CHECK(normal_form("  f <int>") == "f");
  CHECK(normal_form("void  g") == "g");
}

TEST_CASE("names: auto joins normal forms that both sides have, and nothing that matches in full") {
  const std::vector<KernelKey> base{{"f<1>", kCompute}, {"g", kCompute}, {"h<1>", kCompute}, {"h<2>", kCompute}};
  const std::vector<KernelKey> test{{"f<2>", kCompute}, {"g", kCompute}, {"h<1>", kCompute}, {"k<1>", kCompute}};
  const MatchedNames matched = match_names(base, test, NameRule::kAuto);
  // h<1> is on both sides, so h<2> finds nothing to be joined with; k has no counterpart.
  CHECK(names_of(matched) == Names{"f", "g", "h<1>", "h<2>", "k<1>"});
  CHECK(matched.base == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(matched.test == std::vector<std::size_t>{0, 1, 2, 4});
}

TEST_CASE("names: several names of one side share the joined row") {
  const std::vector<KernelKey> base{{"f<1>", kCompute}, {"f<2>", kCompute}};
  const std::vector<KernelKey> test{{"f<3>", kCompute}};
  const MatchedNames matched = match_names(base, test, NameRule::kAuto);
  CHECK(names_of(matched) == Names{"f"});
  CHECK(matched.base == std::vector<std::size_t>{0, 0});
}

TEST_CASE("names: exact joins nothing, normal everything") {
  const std::vector<KernelKey> base{{"f<1>", kCompute}};
  const std::vector<KernelKey> test{{"f<2>", kCompute}, {"k<1>", kCompute}};
  CHECK(names_of(match_names(base, test, NameRule::kExact)) == Names{"f<1>", "f<2>", "k<1>"});
  CHECK(names_of(match_names(base, test, NameRule::kNormal)) == Names{"f", "k"});
}

TEST_CASE("names: kinds are never joined") {
  const std::vector<KernelKey> base{{"f<1>", kCompute}};
  const std::vector<KernelKey> test{{"f<2>", KernelType::kCommunication}};
  CHECK(names_of(match_names(base, test, NameRule::kAuto)) == Names{"f<1>", "f<2>"});
  CHECK(match_names(base, test, NameRule::kNormal).rows.size() == 2);
}
