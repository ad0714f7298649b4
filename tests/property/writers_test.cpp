// Files that several writers wrote into at once give no numbers; files of one writer always do.
#include "support/random.h"
#include "support/scanned.h"
#include <catch2/catch.hpp>

namespace hta::test {
namespace {

enum class Form { kSpread, kCompact, kArray };

// The file of one rank.
std::string document(int rank, int records, Form form) {
  const std::string end = form == Form::kSpread ? ",\n" : ",";
  std::string text;
  if (form == Form::kSpread) {
    text =
        "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [\n  {\"id\": 0, \"name\": \"GPU\", \"numSms\": 132},\n  "
        "{\"id\": 1, \"name\": \"GPU\", \"numSms\": 132}\n],\n"
        "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " +
        std::to_string(rank) + ", \"world_size\": 8},\n\"traceEvents\": [\n";
  } else if (form == Form::kCompact) {
    text = "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" + std::to_string(rank) + "},\"traceEvents\":[";
  } else {
    text = "[";
  }
  for (int i = 0; i < records; ++i) {
    if (i > 0) text += end;
    text += R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":)" + std::to_string(1000 + rank) + R"(,"tid":1,"ts":)" +
            std::to_string(10 * i + rank) + R"(,"dur":5,"args":{"External id":)" + std::to_string(i) +
            R"(,"Input Dims":[[1,2],[3]]}})";
  }
  if (form == Form::kArray) return text + "]";
  return text + (form == Form::kSpread ? "\n],\n\"traceName\": \"x\"\n}\n" : "],\"traceName\":\"x\"}");
}

// Blocks of the documents in turn, as they come when processes with buffers of their own write to one path.
std::string mixed(const std::vector<std::string>& documents, std::size_t block, Random* random) {
  std::string text;
  std::vector<std::size_t> at(documents.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::size_t size = random == nullptr
                                   ? block
                                   : static_cast<std::size_t>(random->in(static_cast<std::int64_t>(block) / 2,
                                                                         static_cast<std::int64_t>(block) * 3 / 2));
      if (at[i] < documents[i].size()) text += documents[i].substr(at[i], size);
      at[i] += size;
      more |= at[i] < documents[i].size();
    }
  }
  return text;
}

}  // namespace

TEST_CASE("writers: documents mixed block by block are told, whatever the blocks") {
  std::uint64_t seed = 0;
  for (const Form form : {Form::kSpread, Form::kCompact, Form::kArray}) {
    for (int writers = 2; writers <= 8; ++writers) {
      std::vector<std::string> documents;
      for (int rank = 0; rank < writers; ++rank) documents.push_back(document(rank, 1500 + 50 * rank, form));
      for (const std::size_t block : {100u, 128u, 250u, 400u, 512u, 1000u, 4096u, 8192u, 20'000u, 65'536u}) {
        // A bare array has no head but its bracket: that is told by a whole record behind it.
        if (form == Form::kArray && block < 250) continue;
        for (const bool even : {true, false}) {
          Random random(++seed);
          std::string text = mixed(documents, block, even ? nullptr : &random);
          INFO("form " << static_cast<int>(form) << ", " << writers << " writers, blocks of " << block
                       << (even ? "" : " on average"));
          REQUIRE(scan(text).report.several_writers);
          // The job may have died before any of them was done; but two blocks of each must be there.
          const std::size_t seen =
              std::max(text.size() * 6 / 10, std::min(text.size(), 3 * static_cast<std::size_t>(writers) * block));
          text.resize(seen);
          REQUIRE(scan(text).report.several_writers);
        }
      }
    }
  }
}

TEST_CASE("writers: one document behind another is no mixture") {
  for (const Form form : {Form::kSpread, Form::kCompact, Form::kArray}) {
    const std::string first = document(0, 300, form);
    const std::string second = document(1, 300, form);
    const Scanned both = scan(first + second);
    REQUIRE_FALSE(both.report.several_writers);
    REQUIRE(both.report.second_document);
    REQUIRE(both.events.size() == 300);

    // Appended to what a killed job left.
    const std::size_t cut = first.size() / 2;
    const Scanned appended = scan(first.substr(0, cut) + second);
    INFO("form " << static_cast<int>(form));
    REQUIRE_FALSE(appended.report.several_writers);
    REQUIRE(appended.report.interrupted_at == cut);
    REQUIRE(appended.events.size() == scan(first.substr(0, cut)).events.size());
  }
}

TEST_CASE("writers: damage of one writer is no mixture") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    std::string text = document(0, 400, static_cast<Form>(seed % 3));
    for (auto n = random.in(1, 40); n > 0; --n) {
      const auto at = static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(text.size()) - 1));
      switch (random.in(0, 3)) {
        case 0: text[at] = static_cast<char>(text[at] ^ (1 << random.in(0, 7))); break;
        case 1: text.erase(at, static_cast<std::size_t>(random.in(1, 400))); break;
        case 2: text.insert(at, "\""); break;
        default: text.replace(at, 50, std::string(50, '\0')); break;
      }
    }
    INFO("seed " << seed);
    REQUIRE_FALSE(scan(text).report.several_writers);
  }
}

}  // namespace hta::test
