#include "hta/report/render.h"

#include <array>

#include <catch2/catch.hpp>

using namespace hta;
using namespace hta::result;

namespace {
constexpr std::array kColumns{
    ColumnSpec{"rank", CellType::kRank},
    ColumnSpec{"name", CellType::kText},
    ColumnSpec{"time_us", CellType::kTime},
    ColumnSpec{"id", CellType::kInteger, Presence::kAlways, Bar::kNo, Fit::kIfRoom},
    ColumnSpec{"pct", CellType::kPercent, Presence::kAlways, Bar::kYes},
};
constexpr TableSpec kSpec{"times", "Times", kColumns};

Document document_of(std::string_view name) {
  Document document;
  document.command = "test";
  Table table(kSpec);
  table.add({RankKey(0, 0), name, std::int64_t{1'234'567}, (std::int64_t{1} << 60), std::int64_t{5000}});
  table.add({RankKey(1, 2), "b", std::nullopt, 3, std::nullopt});
  document.tables.push_back(std::move(table));
  return document;
}

std::string rendered(const Document& document, report::RenderOptions options) {
  std::string text;
  {
    report::Out out([&](std::string_view bytes) { text += bytes; });
    report::render(document, options, out);
  }
  return text;
}

std::string rendered(const Document& document, report::Format format) {
  report::RenderOptions options;
  options.format = format;
  return rendered(document, options);
}
}  // namespace

TEST_CASE("csv: separators, quotes and line breaks are quoted; nothing is cut") {
  CHECK(rendered(document_of("f<int, 4>(\"x\")\n"), report::Format::kCsv) ==
        "rank,name,time_us,id,pct,window\r\n0,\"f<int, "
        "4>(\"\"x\"\")\n\",1234.567,1152921504606846976,50.00,\r\n1,b,,3,,2\r\n");
}

TEST_CASE("json: numbers keep their digits, large ids are strings, nothing is null") {
  const std::string text = rendered(document_of("a\"\x01"), report::Format::kJson);
  CHECK(text.find(R"([0,"a\"\u0001",1234.567,"1152921504606846976",50.0,null],[1,"b",null,3,null,2])") !=
        std::string::npos);
  CHECK(text.find(R"({"name":"time_us","type":"float","unit":"us"})") != std::string::npos);
}

TEST_CASE("markdown: what a name could do to the page is escaped") {
  const std::string text = rendered(document_of("a|b<script>*_`"), report::Format::kMarkdown);
  CHECK(text.find("a\\|b&lt;script&gt;\\*\\_\\`") != std::string::npos);
}

TEST_CASE("terminal: a narrow one drops columns that may go and shortens names, and says so") {
  report::RenderOptions options;
  options.width = 60;
  const std::string text = rendered(document_of(std::string(100, 'x')), options);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    std::size_t columns = 0;
    for (std::size_t i = begin; i < end; ++i) columns += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 ? 1u : 0u;
    CHECK(columns <= 60);
  }
  CHECK(text.find("…") != std::string::npos);
  CHECK(text.find("No room for: id") != std::string::npos);
}

TEST_CASE("terminal: piped tables are neither cut nor coloured, and control characters do not reach it") {
  const std::string text = rendered(document_of(std::string(100, 'x') + "\033[31m"), report::Format::kTable);
  CHECK(text.find(std::string(100, 'x')) != std::string::npos);
  CHECK(text.find('\033') == std::string::npos);
}

namespace {
constexpr std::array kMapColumns{
    ColumnSpec{"rank", CellType::kRank},
    ColumnSpec{"step", CellType::kInteger},
    ColumnSpec{"late_pct", CellType::kPercent},
};
constexpr TableSpec kMap{"late", "Lateness", kMapColumns, RowsPer::kGroup, MapSpec{"rank", "step", "late_pct"}};

// Rank 1 is late by 0, 1, 5, 10, 20 % and so on over the steps 5, 6, ...; the others never are.
Document map_of(std::int64_t steps) {
  constexpr std::array<std::int64_t, 5> kValues{0, 100, 500, 1000, 2000};
  Document document;
  document.command = "test";
  Table table(kMap);
  for (const std::int64_t rank : {0, 1, 2, 3}) {
    for (std::int64_t s = 0; s < steps; ++s)
      table.add({RankKey(rank, 0), s + 5, rank == 1 ? kValues[static_cast<std::size_t>(s % 5)] : std::int64_t{99}});
  }
  document.tables.push_back(std::move(table));
  return document;
}
}  // namespace

TEST_CASE("map: a line per rank, a shade per step, and ranks that look alike in one line") {
  CHECK(rendered(map_of(5), report::Format::kTable) ==
        "Lateness\n"
        "rank             steps 5-9  worst\n"
        "0,2,3 (3 alike)  ·····      0.99 %\n"
        "1                ·░▒▓█      20.00 %\n"
        "· under 1 %  ░ from 1 %  ▒ 5 %  ▓ 10 %  █ 20 %\n");
}

TEST_CASE("map: a terminal without the signs gets letters, colour only if wanted") {
  report::RenderOptions options;
  options.charset = report::Charset::kAscii;
  options.width = 80;
  CHECK(rendered(map_of(5), options).find("1                .-+*#      20.00 %\n") != std::string::npos);
  CHECK(rendered(map_of(5), options).find('\033') == std::string::npos);
  options.color = report::Color::kYes;
  CHECK(rendered(map_of(5), options).find("\033[2m.\033[0m-\033[33m+*\033[0m\033[31m#\033[0m") != std::string::npos);
}

TEST_CASE("map: steps that do not fit share a sign, which shows the worst of them") {
  report::RenderOptions options;
  options.width = 54;  // room for ten signs
  CHECK(rendered(map_of(20), options).find("1                ░▓█▒█░▓█▒█            20.00 %") != std::string::npos);
  CHECK(rendered(map_of(20), options).find("steps 5-24, 2 a sign") != std::string::npos);
}

TEST_CASE("map: who asks for the table by name gets its numbers, and so does every file format") {
  report::RenderOptions options;
  options.tables = {"late"};
  CHECK(rendered(map_of(2), options).find("   1     6    1.00\n") != std::string::npos);
  CHECK(rendered(map_of(2), report::Format::kCsv).find("1,6,1.00\r\n") != std::string::npos);
  CHECK(rendered(map_of(2), report::Format::kMarkdown).find("```\nrank ") != std::string::npos);
}
