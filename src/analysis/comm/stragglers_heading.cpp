#include "stragglers_heading.h"

#include "hta/base/exact.h"
#include "hta/base/human.h"
#include "hta/base/text.h"

#include <algorithm>
#include <map>
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
  const Judgement& judgement = found.verdicts.ranks[r];
  const Account& account = found.accounts[r];
  std::string line = rank_text(found, r);
  if (found.basis == Basis::kBusyTime) {
    line += " is busy " + human_percent(judgement.cost.exposed_ns, judgement.time_ns) +
            " of its step time longer than the others" +
            (judgement.step ? ", in step " + std::to_string(*judgement.step) + " only." : ".");
  } else if (judgement.verdict == RankVerdict::kStraggler) {
    line += " makes the others wait, each of them " + human_time(judgement.cost.wait_ns) + ", " +
            human_percent(judgement.cost.wait_ns, judgement.time_ns) + " of its own step time; " +
            (judgement.cost.exposed_ns == judgement.cost.wait_ns
                 ? "all of it"
                 : human_time(judgement.cost.exposed_ns) + " of it, which no other work hides,") +
            " could be gained. It arrives last in " + with_commas(account.all.last_count) + " of " +
            with_commas(account.all.collectives) + " collectives";
    line += judgement.steps > 1 ? " and costs most in " + std::to_string(judgement.top_steps.size()) + " of " +
                                      std::to_string(judgement.steps) + " steps."
                                : ".";
  } else {
    line += " was late in step " + std::to_string(*judgement.step) + " only (transient): the others waited " +
            human_time(account.steps.at(*judgement.step).wait_ns) + " each. It is no persistent straggler.";
  }
  document.heading.push_back(line + cause_text(found, judgement));
}

// "< 3.02 us"
std::string below(Nanos doubt_ns) {
  return "< " + human_time(std::max<Nanos>(1, doubt_ns));
}

void say_rotation(const Findings& found, result::Document& document) {
  const Rotation& rotation = *found.verdicts.rotation;
  std::map<std::string, std::int64_t> causes;  // without their numbers
  for (const Judgement& judgement : found.verdicts.ranks) {
    if (judgement.persistence != Persistence::kRotating) continue;
    const std::string text = judgement.cause->text();
    ++causes[text.substr(0, text.find(" (x"))];
  }
  const auto main =
      std::max_element(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  document.heading.push_back("Lateness rotates: in " + std::to_string(rotation.late_steps) + " of " +
                             std::to_string(rotation.steps) + " steps a rank makes the others wait, but " +
                             std::to_string(rotation.ranks) + " ranks take turns. Each of the others waits " +
                             human_time(rotation.cost_ns) + " for them, " +
                             human_percent(rotation.cost_ns, rotation.time_ns) + " of the step time. Cause, in " +
                             std::to_string(main->second) + " of the " + std::to_string(rotation.ranks) + ": " +
                             main->first + ". Look for work that differs from step to step, not for a bad device.");
}

// What digs deeper into the worst of them.
void suggest(const Findings& found, const std::vector<std::uint32_t>& named, result::Document& document) {
  const Cause* cause = named.empty() ? nullptr : &*found.verdicts.ranks[named.front()].cause;
  if (cause != nullptr && cause->named()) {
    document.next.emplace_back(cause->main() == CausePart::kLateLaunches ? "idle" : "breakdown");
  } else {
    document.next.emplace_back(found.basis == Basis::kCollectives ? "comm" : "steps");
  }
}

}  // namespace

std::vector<std::uint32_t> by_importance(const Findings& found) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < found.verdicts.ranks.size(); ++r) order.push_back(r);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Judgement& left = found.verdicts.ranks[a];
    const Judgement& right = found.verdicts.ranks[b];
    if (left.verdict != right.verdict) return left.verdict < right.verdict;
    if (left.persistence != right.persistence) return left.persistence < right.persistence;
    return left.persistence != Persistence::kNone && left.cost.wait_ns > right.cost.wait_ns;
  });
  return order;
}

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
  if (found.verdicts.rotation) say_rotation(found, document);
  // Of ranks that take turns there are many, and the one sentence has told of them.
  std::vector<std::uint32_t> named = by_importance(found);
  std::erase_if(named, [&](std::uint32_t r) {
    const Persistence persistence = found.verdicts.ranks[r].persistence;
    return persistence == Persistence::kNone || persistence == Persistence::kRotating;
  });
  for (std::size_t i = 0; i < std::min(named.size(), kRanksInWords); ++i) say_rank(found, named[i], document);
  if (named.size() > kRanksInWords)
    document.heading.push_back(std::to_string(named.size() - kRanksInWords) + " more ranks stand out as well.");
  if (named.empty() && !found.verdicts.rotation) {
    const auto undecided =
        std::count_if(found.waits.begin(), found.waits.end(), [](const Wait& wait) { return !wait.last; });
    std::string line = "No rank stands out";
    if (found.basis == Basis::kCollectives) {
      line += ": " + with_commas(static_cast<std::int64_t>(found.waits.size())) + " collectives compared over " +
              std::to_string(found.ranks.size()) + " ranks";
      if (undecided > 0)
        line += "; in " + with_commas(undecided) + " the two last arrive within " + below(found.clock_doubt_ns) +
                " of each other, which is less than the clocks allow to tell";
    }
    document.heading.push_back(line + ".");
  }
  suggest(found, named.empty() && found.verdicts.rotation ? by_importance(found) : named, document);
}

}  // namespace hta::analysis::comm
