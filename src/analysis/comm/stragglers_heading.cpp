#include "stragglers_heading.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <span>
#include <string>

namespace hta::analysis::comm {
namespace {

constexpr std::size_t kRanksInWords = 4;  // further ones stand in the table

std::string rank_text(const Findings& found, std::uint32_t r) {
  const RankKey key = found.ranks[r].context.rank;
  std::string text = "Rank " + std::to_string(key.rank());
  if (key.window() > 0) text += " (window " + std::to_string(key.window()) + ")";
  return text;
}

std::string cause_text(const Findings& found, const Judgement& judgement) {
  const Cause& cause = *judgement.cause;
  const std::string explained = human_percent(
      std::min<Nanos>(std::max<Nanos>(0, cause.more_ns[static_cast<std::size_t>(cause.main())]), cause.late_ns),
      cause.late_ns);
  const std::string of_what = found.basis == Basis::kCollectives ? "its lateness" : "the difference";
  if (cause.named()) return " Cause: " + cause.text() + ", which explains " + explained + " of " + of_what + ".";
  return " Its own work does not explain why: the largest difference found covers " + explained + " of " + of_what +
         ".";
}

void say_rank(const Findings& found, std::uint32_t r, result::Document& document) {
  const Judgement& judgement = found.judgements[r];
  const Account& account = found.accounts[r];
  std::string line = rank_text(found, r);
  if (found.basis == Basis::kBusyTime) {
    line += " is busy " + human_percent(judgement.cost.exposed_ns, judgement.time_ns) +
            " of its step time longer than the others" +
            (judgement.step ? ", in step " + std::to_string(*judgement.step) + " only." : ".");
  } else if (judgement.verdict == RankVerdict::kStraggler) {
    line += " makes the others wait, each of them " + human_time(judgement.cost.wait_ns) + ", " +
            human_percent(judgement.cost.wait_ns, judgement.time_ns) + " of the step time; " +
            human_percent(judgement.cost.exposed_ns, judgement.time_ns) +
            " could be gained, the rest is hidden by other work. It arrives last in " +
            with_commas(account.last_count) + " of " + with_commas(account.collectives) + " collectives";
    line += judgement.steps > 1 ? " and costs most in " + std::to_string(judgement.top_steps) + " of " +
                                      std::to_string(judgement.steps) + " steps."
                                : ".";
  } else {
    line += " was late in step " + std::to_string(*judgement.step) + " only (transient): the others waited " +
            human_time(account.steps.at(*judgement.step).wait_ns) + " each. It is no persistent straggler.";
  }
  document.heading.push_back(line + cause_text(found, judgement));
}

// What digs deeper into the worst of them.
void suggest(const Findings& found, std::span<const std::uint32_t> named, result::Document& document) {
  const Cause* cause = named.empty() ? nullptr : &*found.judgements[named.front()].cause;
  if (cause != nullptr && cause->named()) {
    document.next.emplace_back(cause->main() == CausePart::kLateLaunches ? "idle" : "breakdown");
  } else {
    document.next.emplace_back(found.basis == Basis::kCollectives ? "comm" : "steps");
  }
}

}  // namespace

void add_heading(const Findings& found, result::Document& document) {
  if (found.ranks.size() < 2) {
    document.heading.emplace_back("No verdict: there is one rank only. Give the directory with all ranks.");
    document.note("one-rank", "stragglers are found by comparing ranks; give the directory with all of them",
                  result::Severity::kInfo);
    return;
  }
  if (found.basis == Basis::kBusyTime) {
    document.heading.emplace_back(
        "No collective could be matched between ranks, so their busy time per step is compared instead. It shows who "
        "works longer, not who waits.");
    document.note("no-collectives", "no collective is shared by two of the ranks: verdicts rest on busy time per step");
  }
  std::vector<std::uint32_t> named;
  for (std::uint32_t r = 0; r < found.judgements.size(); ++r) {
    if (found.judgements[r].verdict != RankVerdict::kNone) named.push_back(r);
  }
  std::stable_sort(named.begin(), named.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Judgement& left = found.judgements[a];
    const Judgement& right = found.judgements[b];
    return left.verdict != right.verdict ? left.verdict < right.verdict : left.cost.wait_ns > right.cost.wait_ns;
  });
  for (std::size_t i = 0; i < std::min(named.size(), kRanksInWords); ++i) say_rank(found, named[i], document);
  if (named.size() > kRanksInWords)
    document.heading.push_back(std::to_string(named.size() - kRanksInWords) + " more ranks stand out as well.");
  if (named.empty()) {
    const auto undecided =
        std::count_if(found.waits.begin(), found.waits.end(), [](const Wait& wait) { return !wait.last; });
    std::string line = "No rank stands out";
    if (found.basis == Basis::kCollectives) {
      line += ": " + with_commas(static_cast<std::int64_t>(found.waits.size())) + " collectives compared over " +
              std::to_string(found.ranks.size()) + " ranks";
      if (undecided > 0)
        line += "; in " + with_commas(undecided) + " the arrivals differ by less than the clocks allow to tell";
    }
    document.heading.push_back(line + ".");
  }
  suggest(found, named, document);
}

}  // namespace hta::analysis::comm
