#pragma once
// One answer: what was read, how good it is, what was found, and the tables.

#include "hta/result/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hta::result {

enum class Severity : std::uint8_t { kInfo, kWarning, kCritical };
std::string_view severity_name(Severity severity);  ///< info, warning, critical

/// A file, or one rank of it.
struct Input {
  std::string path;
  std::string label;  ///< when the file holds several ranks
  std::string run;    ///< base or test, when two runs are compared
  std::optional<std::int64_t> rank;
  std::string rank_source;  ///< metadata, name, assigned, option, label
  std::optional<int> window;
  std::string status;  ///< ok, or why it is not used
  std::uint64_t events = 0;
  std::uint64_t gpu_events = 0;
};

struct Quality {
  std::uint64_t events = 0;
  std::uint64_t damaged = 0;
  std::uint64_t ignored = 0;
  std::uint64_t profiler_spans =
      0;  ///< of the ignored: records of the profiler about itself, which people need not know of
  std::uint64_t suspect = 0;
  std::uint64_t gpu_events = 0;
  std::uint64_t gpu_events_linked = 0;
};

struct Note {
  std::string code;  ///< stable name
  Severity severity = Severity::kWarning;
  std::string message;
};

/// A measured value that supports a statement; one of integer types as in Table, or text.
struct Measure {
  std::string name;  ///< unit in the name: overlap_pct, gain_us
  CellType type = CellType::kInteger;
  std::int64_t number = 0;
  std::string text;  ///< for kText

  static Measure of(std::string name, CellType type, std::int64_t value) { return {std::move(name), type, value, {}}; }
  static Measure of_text(std::string name, std::string value) {
    return {std::move(name), CellType::kText, 0, std::move(value)};
  }
};

/// One thing that is wrong (or fine), with what supports it and what to do.
struct Finding {
  std::string id;
  Severity severity = Severity::kInfo;
  std::string title;
  std::vector<Measure> evidence;
  std::vector<Measure> threshold;
  std::string recommendation;
  std::string next;  ///< command that digs deeper
  std::optional<Measure> gain;
  std::string gain_method;  ///< bound or estimate
};

struct Summary {
  std::string main_finding;
  std::string bottleneck;  ///< compute, memory, communication, host, straggler, none
  std::vector<Measure> evidence;
};

/// A value over time that viewers draw as a track of its own.
struct CounterTrack {
  std::string name;
  std::string pid;         ///< as JSON: a number or a quoted text
  std::string value_name;  ///< what the value is, e.g. its unit
  int decimals = 0;        ///< of the values: they are in 10^-decimals
  struct Point {
    std::int64_t time_ns = 0;  ///< on the clock of the file
    std::int64_t value = 0;
  };
  std::vector<Point> points;
};

enum class DamagedInput : std::uint8_t { kLeaveOut, kRefuse };  ///< what to do about records that cannot be read

/// A trace to be written back with additions; carried out by the command line, because analyses do no I/O.
struct Overlay {
  std::string source_path;
  std::string target_path;  ///< compressed if it ends in .gz
  DamagedInput damaged = DamagedInput::kLeaveOut;
  /// JSON elements to add behind the last event, each a complete object; never the bytes of the input.
  std::vector<std::string> elements;
  std::vector<CounterTrack> counters;  ///< behind the elements; a compact form, because they are many
  /// If set: only records at these positions of the file (sorted) are kept, besides metadata (ph M).
  std::optional<std::vector<std::uint32_t>> keep_positions;
};

/// A text file to be written besides the result (baselines, JUnit).
struct SideFile {
  std::string path;
  std::string content;
};

/// What a gate decided; maps to the exit status.
enum class Verdict : std::uint8_t { kNone, kPassed, kFailed, kInsufficient };

/// What became of one gate.
enum class GateOutcome : std::uint8_t {
  kPass,
  kNoise,  ///< beyond the limit, but no more than noise: passes
  kFail,
  kInsufficient,  ///< not decided
};
std::string_view gate_outcome_name(GateOutcome outcome);  ///< pass, noise, fail, insufficient

/// One gate, for reports to CI systems.
struct GateReport {
  std::string gate;  ///< as given
  GateOutcome outcome = GateOutcome::kPass;
  std::string sentence;  ///< in words
  std::string why;       ///< the reason given with it
};

struct Document {
  std::string command;
  std::vector<Input> inputs;
  Quality quality;
  std::optional<Summary> summary;
  std::vector<Finding> findings;
  std::vector<Table> tables;  ///< the default one first
  std::vector<Note> notes;
  std::vector<std::string> shown;    ///< tables a person sees without asking; empty = the default one
  std::vector<std::string> heading;  ///< lines that a person reads before the tables: the answer in words
  std::vector<std::string> next;     ///< commands worth running next
  std::vector<Overlay> overlays;
  std::vector<SideFile> side_files;
  std::vector<GateReport> gates;
  Verdict verdict = Verdict::kNone;

  const Table* find_table(std::string_view name) const;
  void note(std::string code, std::string message, Severity severity = Severity::kWarning) {
    notes.push_back({std::move(code), severity, std::move(message)});
  }
};

}  // namespace hta::result
