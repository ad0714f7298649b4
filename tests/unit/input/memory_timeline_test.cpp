#include "hta/input/memory_timeline.h"

#include <string>

#include "support/temporary_file.h"
#include <catch2/catch.hpp>

namespace {

using hta::input::is_memory_timeline;
using hta::input::read_memory_timeline;
using hta::test::TemporaryFile;

bool recognised(std::string_view text) {
  return is_memory_timeline(TemporaryFile(text).path());
}

}  // namespace

TEST_CASE("memory timeline: a list of lists of numbers is one, a trace is none") {
  CHECK(recognised("[[1, 2, 3, 4]]"));
  CHECK(recognised(" [\n [ -1,0,4096,0]"));
  CHECK_FALSE(recognised("[{\"ph\": \"X\"}]"));
  CHECK_FALSE(recognised("{\"traceEvents\": [[1]]}"));
  CHECK_FALSE(recognised("[[[1]]]"));
  CHECK_FALSE(recognised("[]"));
  CHECK_FALSE(recognised(""));
  CHECK_FALSE(is_memory_timeline("/does/not/exist"));
  CHECK_FALSE(is_memory_timeline("-"));
}

TEST_CASE("memory timeline: entries in the order of the file, strange categories unknown") {
  const TemporaryFile source(
      "[[1700000000000000001, 1, -512, 4], [-1, 0, 1024, 0], [5, 2, 7, 8], [6, 2, 7, -3], [7, 0, 1, 7]]");
  const auto loaded = read_memory_timeline(source.path());
  REQUIRE(loaded.ok());
  CHECK_FALSE(loaded->damaged);
  const auto& entries = loaded->timeline.entries;
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].time_ns == 1'700'000'000'000'000'001);
  CHECK(entries[0].bytes == -512);
  CHECK(entries[0].category == 4);
  CHECK(entries[1].time_ns == -1);
  CHECK(entries[1].category == 0);
  CHECK(entries[2].category == hta::kUnknownMemory);
  CHECK(entries[3].category == hta::kUnknownMemory);
  CHECK(entries[4].category == hta::kUnknownMemory);
}

TEST_CASE("memory timeline: what is cut off keeps its whole entries") {
  const TemporaryFile source("[[1, 1, 512, 4], [2, 1, 512, 4], [3, 1, 5");
  const auto loaded = read_memory_timeline(source.path());
  REQUIRE(loaded.ok());
  CHECK(loaded->damaged);
  CHECK(loaded->timeline.entries.size() == 2);
}

TEST_CASE("memory timeline: other forms are refused") {
  const std::string message = "is no raw memory timeline; export it to a name that ends in .raw.json.gz";
  for (const auto* text : {"[[1, 2, 3], [[0, 1, 2]]]", "[[1, 2, 3, 4, 5]]", "[[1.5, 1, 2, 3]]"}) {
    const TemporaryFile source(text);
    const auto loaded = read_memory_timeline(source.path());
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().message == message);
  }
}
