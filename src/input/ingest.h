#pragma once
// From records of the file to rows of the model.

#include "hta/input/load.h"
#include "hta/input/scanner.h"
#include "hta/model/trace_builder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "accelerator.h"

namespace hta::input {

/// The arguments that building a trace with these needs takes from the file.
ArgSet wanted_args(const Needs& needs);

class Ingest final : public ScanSink {
 public:
  /// `first` is the builder of the first rank in the file and of events without a label; further ones are made as
  /// labels appear.
  Ingest(TraceBuilder& first, const BuildOptions& options, const LoadLimits& limits);

  void event(const RawEvent& raw) override;
  void metadata(std::string_view key, std::string_view json) override;
  void fault(EventFault fault, std::uint64_t offset) override;

  /// Whether append() may take this for the later part of a file: not if the meaning of its records depends on earlier
  /// ones.
  bool self_contained() const;
  /// Adds what `later` took from the records that follow, as if they had been handed to this one.
  void append(Ingest&& later);
  /// Gives back memory that is kept for further records.
  void trim();

  /// Traces of all labels in natural order of the labels, which are named if there are several; else the one trace.
  std::vector<Trace> finish(std::vector<std::string>& labels);

  std::uint64_t odd_escapes() const { return odd_escapes_; }
  std::uint64_t unreadable_metadata() const { return unreadable_metadata_; }
  std::uint64_t repaired_metadata() const { return repaired_metadata_; }
  std::uint64_t repaired_texts() const;
  /// Events without a label in a file that labels its ranks; they count with the first of them, which is named.
  std::uint64_t unlabelled_events() const { return labels_.size() > 1 ? unlabelled_ : 0; }
  const std::string& first_label() const { return labels_.front(); }
  bool own_output() const { return own_output_; }
  bool has_phases() const { return has_phases_; }
  bool foreign_schema() const { return foreign_schema_; }
  bool names_come_late() const { return unnamed_tracks_.names_come_late(); }
  /// Which limit was passed, as a sentence without its subject; empty if none. Nothing is taken in from then on.
  const std::string& passed_limit() const { return passed_limit_; }

 private:
  TraceBuilder& builder_for(RawValue& pid);
  StringId text(TraceBuilder& builder, const RawValue& value);
  CategoryId category(TraceBuilder& builder, const RawValue& value);
  void check_text(const RawValue& value);
  TrackName track(TraceBuilder& builder, const RawValue& value);
  void take_args(TraceBuilder& builder, const RawEvent& raw);
  void take_counters(TraceBuilder& builder, const RawEvent& raw);
  void check_limits(const TraceBuilder& builder);

  TraceBuilder& first_;
  BuildOptions options_;
  LoadLimits limits_;
  std::vector<std::string> labels_;                    // in order of appearance; the first one's builder is first_
  std::vector<std::unique_ptr<TraceBuilder>> others_;  // of labels_[1], ...
  std::unordered_map<std::string, std::size_t> by_label_;
  std::uint64_t unlabelled_ = 0;
  UnnamedTracks unnamed_tracks_;
  // By length of the text, the last one seen.
  struct LastCategory {
    const TraceBuilder* builder = nullptr;
    std::string text;
    CategoryId id;
  };
  std::array<LastCategory, 16> last_categories_;
  TraceInfo info_;
  std::vector<ArgValue> args_;
  std::vector<std::pair<StringId, StringId>> counters_;
  std::string decoded_;
  std::string passed_limit_;
  std::uint64_t records_ = 0;
  std::uint64_t odd_escapes_ = 0;
  std::uint64_t broken_texts_ = 0;  // that were not stored
  std::uint64_t unreadable_metadata_ = 0;
  std::uint64_t repaired_metadata_ = 0;
  bool own_output_ = false;
  bool has_phases_ = false;
  bool foreign_schema_ = false;
};

}  // namespace hta::input
