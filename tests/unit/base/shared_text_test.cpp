#include "hta/base/shared_text.h"

#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace hta {
namespace {

TEST_CASE("shared text: equal texts are one, and compare as texts do") {
  const std::string kernel(200, 'k');
  const SharedText a(kernel);
  const SharedText b(std::string(200, 'k'));
  CHECK(a == b);
  CHECK(a.view().data() == b.view().data());
  CHECK(a.view().data() != kernel.data());
  CHECK(SharedText("a") < SharedText("ab"));
  CHECK(SharedText("b") > SharedText("ab"));
  CHECK(SharedText().empty());
  CHECK(SharedText() == SharedText(""));
}

TEST_CASE("shared text: threads get the same copies") {
  std::vector<std::vector<SharedText>> made(4);
  std::vector<std::thread> threads;
  for (auto& texts : made) {
    threads.emplace_back([&texts] {
      for (int i = 0; i < 2000; ++i) texts.emplace_back("text " + std::to_string(i % 500));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& texts : made) CHECK(texts == made.front());
}

}  // namespace
}  // namespace hta
