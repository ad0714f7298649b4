#include "ranks.h"

#include <catch2/catch.hpp>

namespace hta::input {
namespace {

RunInput usable(std::string path, std::optional<std::int64_t> recorded = {}, Nanos first_ns = 0, Nanos last_ns = 100) {
  RunInput input;
  input.path = std::move(path);
  input.info.rank = recorded;
  input.first_start_ns = first_ns;
  input.last_end_ns = last_ns;
  return input;
}

struct Assigned {
  std::string ranks;  // rank[/window] of each input in their order
  std::vector<std::string> notes;
  std::string error;
};

Assigned assign(std::vector<RunInput> inputs, const RunOptions& options = {}) {
  std::vector<RunNote> notes;
  const Status status = assign_ranks(inputs, options, notes);
  Assigned out;
  if (!status) out.error = status.error().text();
  for (const RunInput& input : inputs) {
    if (!out.ranks.empty()) out.ranks += " ";
    out.ranks += input.rank ? std::to_string(input.rank->rank()) : "-";
    if (input.rank && input.rank->window() > 0) out.ranks += "/" + std::to_string(input.rank->window());
  }
  for (const RunNote& note : notes) out.notes.push_back(note.message);
  return out;
}

}  // namespace

TEST_CASE("ranks: every style of file name") {
  CHECK(rank_in_name("rank3.json") == 3);
  CHECK(rank_in_name("rank_3.json") == 3);
  CHECK(rank_in_name("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz") == 34);
  CHECK(rank_in_name("trace_rank[12].json") == 12);
  CHECK(rank_in_name("worker0.1700000001.pt.trace.json") == 0);
  CHECK(rank_in_name("graph_capture_rank_0.1773709742341309550.pt.trace.json.gz") == 0);
  CHECK(rank_in_name("RANK7.json") == 7);
  CHECK(rank_in_name("node1-rank-9.json") == 9);
  CHECK_FALSE(rank_in_name("crank3.json"));
  CHECK_FALSE(rank_in_name("trace.json"));
  CHECK_FALSE(rank_in_name("rank.json"));
  CHECK_FALSE(rank_in_name("rank"));
  CHECK_FALSE(rank_in_name("rank_1700000000123456789.json"));  // a time
  CHECK_FALSE(rank_in_name("r50-trace.json"));                 // a ResNet
}

TEST_CASE("ranks: recorded before named before assigned") {
  const Assigned got = assign({usable("d/rank7.json", 2), usable("d/rank_5.json"), usable("d/a.json")});
  CHECK(got.ranks == "2 5 0");
  REQUIRE(got.notes.size() == 3);
  CHECK(got.notes[0] == "the rank in the name of rank7.json differs from the recorded one; the recorded one counts");
  CHECK(got.notes[1] ==
        "ranks assigned in name order, because the files carry none: a.json = rank 0 (change with --assign-rank)");
  CHECK(got.notes[2] == "ranks taken from file names, because the files carry none");
}

TEST_CASE("ranks: options choose the source") {
  RunOptions by_name;
  by_name.rank_from = RankFrom::kName;
  CHECK(assign({usable("rank7.json", 2)}, by_name).ranks == "7");
  RunOptions by_metadata;
  by_metadata.rank_from = RankFrom::kMetadata;
  CHECK(assign({usable("rank7.json")}, by_metadata).ranks == "0");
  RunOptions by_hand;
  by_hand.assigned_ranks["a.json"] = 4;
  CHECK(assign({usable("a.json", 1), usable("b.json", 2)}, by_hand).ranks == "4 2");
  by_hand.assigned_ranks["c.json"] = 5;
  CHECK(assign({usable("a.json", 1)}, by_hand).error ==
        "c.json: is given to --assign-rank but is no input; hta info lists the paths");
}

TEST_CASE("ranks: dimensions in names give the order") {
  const Assigned got = assign({usable("1700.5-TP-10-DP-0.trace.json.gz"), usable("1700.5-TP-2-DP-0.trace.json.gz"),
                               usable("1700.5-TP-1-DP-0.trace.json.gz")});
  CHECK(got.ranks == "2 1 0");
}

TEST_CASE("ranks: names that lie alike are told to differ") {
  const Assigned got = assign(
      {usable("r0-2025-01-01.1700000000000000001.json", 0), usable("r0-2025-01-01.1700000000000000002.json", 1)});
  CHECK(got.ranks == "0 1");
  REQUIRE(got.notes.size() == 1);
  CHECK(got.notes[0].starts_with("the rank in the name of r0-2025-01-01"));
}

TEST_CASE("ranks: one rank twice is an error that names both files") {
  CHECK(assign({usable("x/rank0.json", 0), usable("y/rank0_copy.json", 0)}).error ==
        "x/rank0.json: claims rank 0, and so does y/rank0_copy.json; give one of them, or tell them apart with "
        "--assign-rank PATH=N");
}

TEST_CASE("ranks: capture windows of one rank are kept apart in order of time") {
  const Assigned stamped = assign({usable("worker0.1700000009.pt.trace.json", 0, 500, 900),
                                   usable("worker0.1700000001.pt.trace.json", 0, 100, 700)});
  CHECK(stamped.ranks == "0/2 0/1");
  const Assigned apart = assign({usable("a.json", 3, 500, 900), usable("b.json", 3, 100, 500)});
  CHECK(apart.ranks == "3/2 3/1");
  REQUIRE(apart.notes.size() == 1);
  CHECK(apart.notes[0] == "rank 3 has 2 capture windows, which are kept apart");
}

TEST_CASE("ranks: missing ones are named") {
  std::vector<RunInput> inputs{usable("rank0.json", 0), usable("rank3.json", 3)};
  for (RunInput& input : inputs) input.info.world_size = 8;
  const Assigned got = assign(inputs);
  REQUIRE(got.notes.size() == 1);
  CHECK(got.notes[0] == "ranks 1-2, 4-7 of 8 are missing; statistics cover the ranks that are here");
}

TEST_CASE("ranks: absurd numbers are no ranks") {
  CHECK(assign({usable("a.json", INT64_MAX)}).ranks == "0");
  CHECK(assign({usable("a.json", -1)}).ranks == "0");
}

TEST_CASE("ranks: labels are numbered in their order") {
  RunInput second = usable("a.json", 5);
  second.label = "TP10";
  RunInput first = usable("a.json", 5);
  first.label = "TP2";
  CHECK(assign({second, first}).ranks == "1 0");
}

}  // namespace hta::input
