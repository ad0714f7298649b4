#include "hta/report/overlay.h"

#include "hta/base/text.h"
#include "hta/input/byte_source.h"
#include "hta/input/scanner.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gzip_writer.h"

namespace hta::report {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kCategory = "hta_counter";  // by it hta knows its own files again
constexpr int kMicroDecimals = 3;

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

// Plain bytes or packed ones.
class Target {
 public:
  Target(Out& out, bool packed) : out_(out) {
    if (packed) gzip_.emplace(out);
  }
  void write(std::string_view text) {
    if (gzip_) gzip_->write(text);
    else out_ << text;
  }
  void finish() {
    if (gzip_) gzip_->finish();
  }

 private:
  Out& out_;
  std::optional<GzipWriter> gzip_;
};

// What stands between two records. Copied as it is where it is what JSON wants there: one comma, or none.
class Gap {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == ',') ++commas_;
      else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') clean_ = false;
    }
    if (text_.size() + bytes.size() <= kLongest) text_ += bytes;
    else clean_ = false;
  }
  // Its text if it holds that many commas, else `instead`; and starts the next gap.
  std::string take(std::size_t commas, std::string_view instead) {
    std::string out = clean_ && commas_ == commas ? std::move(text_) : std::string(instead);
    *this = Gap();
    return out;
  }

 private:
  static constexpr std::size_t kLongest = 4096;
  std::string text_;
  std::size_t commas_ = 0;
  bool clean_ = true;
};

class TraceCopy final : public input::ScanSink {
 public:
  TraceCopy(const result::Overlay& overlay, Target& target) : overlay_(overlay), target_(target) {}

  void event(const input::RawEvent& event) override {
    const std::uint32_t position = position_++;
    const Fate fate = overlay_.keep_positions ? fate_of(event, position) : Fate::kCopied;
    if (fate == Fate::kDropped) ++counts_.dropped;
    records_.push_back({event.text, fate});
  }
  void metadata(std::string_view, std::string_view json) override { member_end_ = json.data() + json.size(); }
  void fault(EventFault, std::uint64_t) override { ++counts_.lost; }

  // The scanner has consumed [begin, stop), whose first byte has this offset in the text.
  void copy(const char* begin, const char* stop, std::uint64_t offset, const input::ScanReport& report);
  // Closes what the file leaves open.
  void finish(const input::ScanReport& report);
  const OverlayCounts& counts() const { return counts_; }
  // Records followed behind what had seemed to be the end of the array, and was closed.
  bool torn() const { return torn_; }

 private:
  enum class Part : std::uint8_t { kHead, kEvents, kTail, kBehind };
  enum class Fate : std::uint8_t { kCopied, kDropped };
  struct Record {
    std::string_view text;
    Fate fate;
  };

  Fate fate_of(const input::RawEvent& event, std::uint32_t position);
  void put_record(const Record& record);
  void put_element(std::string_view json);
  void put_additions();
  void put_track(const result::CounterTrack& track);

  const result::Overlay& overlay_;
  Target& target_;
  OverlayCounts counts_;
  std::uint32_t position_ = 0;
  std::vector<Record> records_;                    // of the bytes at hand
  const char* member_end_ = nullptr;               // of the last whole top-level member in the bytes at hand
  std::map<std::string, std::vector<Fate>> open_;  // fates of the begins that wait for their ends, by track
  Part part_ = Part::kHead;
  Gap gap_;
  std::string held_;  // tail bytes behind the last whole member: only written when more follows
  bool any_element_ = false;
  bool torn_ = false;
};

// Only the begin of a B/E pair has a position that counts; its end goes with it.
TraceCopy::Fate TraceCopy::fate_of(const input::RawEvent& event, std::uint32_t position) {
  const auto& kept = *overlay_.keep_positions;
  const bool named = event.phase == 'M' || std::binary_search(kept.begin(), kept.end(), position);
  Fate fate = named ? Fate::kCopied : Fate::kDropped;
  if (event.phase != 'B' && event.phase != 'E') return fate;
  std::vector<Fate>& open = open_[std::string(event.pid.text) + '/' + std::string(event.tid.text)];
  if (event.phase == 'B') {
    open.push_back(fate);
  } else if (!open.empty()) {
    fate = open.back();
    open.pop_back();
  }
  return fate;
}

void TraceCopy::copy(const char* begin, const char* stop, std::uint64_t offset, const input::ScanReport& report) {
  const char* at = begin;
  torn_ |= part_ >= Part::kTail && !records_.empty();
  const auto until = [&](const std::optional<std::uint64_t>& end) { return end ? begin + (*end - offset) : stop; };
  if (part_ == Part::kHead) {
    if (offset == 0 && between(at, stop).starts_with(kByteOrderMark)) at += kByteOrderMark.size();
    const char* end = until(report.events_begin);
    target_.write(between(at, end));
    at = end;
    if (report.events_begin) part_ = Part::kEvents;
  }
  if (part_ == Part::kEvents) {
    for (const Record& record : records_) {
      gap_.add(between(at, record.text.data()));
      put_record(record);
      at = record.text.data() + record.text.size();
    }
    const char* end = until(report.events_end);
    gap_.add(between(at, end));
    at = end;
    if (report.events_end) {
      put_additions();
      part_ = Part::kTail;
      if (member_end_ == nullptr || member_end_ <= end) member_end_ = end + 1;  // the closing bracket
    }
  }
  if (part_ == Part::kTail) {
    const char* whole = report.document_end ? until(report.document_end) : member_end_;
    if (whole != nullptr) {
      target_.write(held_);
      held_.clear();
      target_.write(between(at, whole));
      at = whole;
    }
    if (report.document_end) part_ = Part::kBehind;
    else held_ += between(at, stop);
  }
  records_.clear();
  member_end_ = nullptr;
}

void TraceCopy::put_record(const Record& record) {
  if (record.fate == Fate::kDropped) {
    // One of the two gaps around it goes with it.
    if (any_element_) gap_.take(0, "");
    return;
  }
  target_.write(any_element_ ? gap_.take(1, ",\n") : gap_.take(0, "\n"));
  target_.write(record.text);
  any_element_ = true;
  ++counts_.copied;
}

void TraceCopy::put_element(std::string_view json) {
  target_.write(any_element_ ? ",\n" : "\n");
  target_.write(json);
  any_element_ = true;
  ++counts_.added;
}

void TraceCopy::put_additions() {
  for (const std::string& element : overlay_.elements) put_element(element);
  for (const result::CounterTrack& track : overlay_.counters) put_track(track);
  target_.write(gap_.take(0, "\n"));
}

void TraceCopy::put_track(const result::CounterTrack& track) {
  const std::string head = "{\"ph\":\"C\",\"cat\":\"" + std::string(kCategory) +
                           "\",\"name\":" + json_quoted(track.name) + ",\"pid\":" + track.pid + ",\"tid\":0,\"ts\":";
  const std::string middle = ",\"args\":{" + json_quoted(track.value_name) + ":";
  std::string element;
  for (const result::CounterTrack::Point& point : track.points) {
    element = head;
    element += fixed_point(point.time_ns, kMicroDecimals);
    element += middle;
    element += fixed_point(point.value, track.decimals);
    element += "}}";
    put_element(element);
  }
}

void TraceCopy::finish(const input::ScanReport& report) {
  if (part_ == Part::kEvents) {
    put_additions();
    target_.write("]");
  }
  if (part_ != Part::kBehind && !report.bare_array) target_.write("}");
  target_.write("\n");
}

// Feeds the scanner and hands what it consumed to the copy.
Status stream(input::ByteSource& source, input::Scanner& scanner, TraceCopy& copy) {
  constexpr std::size_t kFirstRoom = std::size_t{1} << 20;
  constexpr std::size_t kPadding = 64;  // what the scanner wants behind the bytes
  std::vector<char> buffer(kFirstRoom + kPadding);
  std::size_t filled = 0;
  std::uint64_t offset = 0;
  for (bool last = false; !last;) {
    const std::size_t room = buffer.size() - kPadding - filled;
    auto read = source.read(buffer.data() + filled, room);
    if (!read) return read.error();
    filled += *read;
    last = *read == 0;
    std::memset(buffer.data() + filled, 0, kPadding);
    const char* begin = buffer.data();
    const char* stop = scanner.scan(begin, begin + filled, last ? input::MoreBytes::kNo : input::MoreBytes::kYes);
    copy.copy(begin, stop, offset, scanner.report());
    const auto consumed = static_cast<std::size_t>(stop - begin);
    offset += consumed;
    filled -= consumed;
    std::memmove(buffer.data(), stop, filled);
    if (filled * 2 > buffer.size()) buffer.resize(buffer.size() * 2);
  }
  return {};
}

// Why the source cannot be copied, if so.
std::optional<std::string> problem_of(const result::Overlay& overlay, const input::ScanReport& report,
                                      const std::string& packing_trouble, const TraceCopy& copy) {
  if (!report.events_begin) return "holds no event array to add to";
  if (report.several_writers) return "holds documents of several writers mixed into each other";
  if (report.head_lost || report.hopeless || copy.torn())
    return "is damaged too badly to be copied; hta info shows where";
  if (report.damaged_metadata > 0) return "has damaged metadata, which cannot be copied; repair the file first";
  const bool damaged = copy.counts().lost > 0 || report.truncated || report.interrupted_at || !packing_trouble.empty();
  if (overlay.damaged == result::DamagedInput::kRefuse && damaged) {
    return "is damaged or cut off, so no trace is written from it; hta info shows where";
  }
  return std::nullopt;
}

}  // namespace

Result<OverlayCounts> write_overlay(const result::Overlay& overlay, Out& out) {
  auto opened = input::open_source(overlay.source_path);
  if (!opened) return opened.error();
  Target target(out, overlay.target_path.ends_with(".gz"));
  TraceCopy copy(overlay, target);
  input::Scanner scanner(ArgSet{}, copy);
  if (Status status = stream(*opened->source, scanner, copy); !status) return status.error();
  if (const auto problem = problem_of(overlay, scanner.report(), opened->source->trouble().text(), copy)) {
    return Error{ErrorCode::kInput, overlay.source_path, *problem, {}};
  }
  copy.finish(scanner.report());
  target.finish();
  return copy.counts();
}

}  // namespace hta::report
