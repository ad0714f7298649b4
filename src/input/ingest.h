#pragma once
// From records of the file to rows of the model.

#include <string>
#include <unordered_map>
#include <vector>

#include "hta/input/scanner.h"
#include "hta/model/trace_builder.h"

namespace hta::input {

/// The arguments that building a trace with these needs takes from the file.
ArgSet wanted_args(const Needs& needs);

class Ingest final : public ScanSink {
 public:
  /// `first` is the builder of events without a label; further ones are made as labels appear.
  Ingest(TraceBuilder& first, const BuildOptions& options);

  void event(const RawEvent& raw) override;
  void metadata(std::string_view key, std::string_view json) override;
  void fault(EventFault fault, std::uint64_t offset) override;

  /// Traces of all labels in natural order of the labels; without labels (or with one) the one trace.
  std::vector<Trace> finish(std::vector<std::string>& labels);

  std::uint64_t odd_escapes() const { return odd_escapes_; }
  std::uint64_t unreadable_metadata() const { return unreadable_metadata_; }
  std::uint64_t repaired_texts() const;
  bool own_output() const { return own_output_; }
  bool has_phases() const { return has_phases_; }
  bool foreign_schema() const { return foreign_schema_; }

 private:
  struct Labelled {
    std::string label;
    TraceBuilder builder;
  };
  TraceBuilder& builder_for(RawValue& pid);
  StringId text(TraceBuilder& builder, const RawValue& value);
  TrackName track(TraceBuilder& builder, const RawValue& value);
  void counters(TraceBuilder& builder, const RawEvent& raw);

  TraceBuilder& first_;
  BuildOptions options_;
  std::vector<Labelled> labelled_;
  std::unordered_map<std::string, std::size_t> by_label_;
  TraceInfo info_;
  std::vector<ArgValue> args_;
  std::vector<std::pair<StringId, StringId>> counters_;
  std::string decoded_;
  std::uint32_t position_ = 0;
  std::uint64_t odd_escapes_ = 0;
  std::uint64_t unreadable_metadata_ = 0;
  bool own_output_ = false;
  bool has_phases_ = false;
  bool foreign_schema_ = false;
};

}  // namespace hta::input
