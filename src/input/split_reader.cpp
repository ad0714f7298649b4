#include "split_reader.h"

#include "hta/base/thread_pool.h"

#include <utility>

#include "landmark.h"

namespace hta::input {
namespace {

// Enough to tell other formats by.
constexpr std::size_t kHeadBytes = 512;
// How far behind the wanted place a start of a record is looked for.
constexpr std::size_t kGuessWindow = std::size_t{256} << 10;

// What a part finds, until it is known that the part counts: its records are taken in, its metadata kept as text.
class PartSink final : public ScanSink {
 public:
  explicit PartSink(ScanSink& records) : to_(&records) {}

  void event(const RawEvent& event) override { to_->event(event); }
  void fault(EventFault fault, std::uint64_t offset) override { to_->fault(fault, offset); }
  void metadata(std::string_view key, std::string_view json) override {
    if (counts_) to_->metadata(key, json);
    else metadata_.emplace_back(key, json);
  }
  // The part counts: what it finds from now on goes straight to `sink`.
  void join(ScanSink& sink) {
    for (const auto& [key, json] : metadata_) sink.metadata(key, json);
    metadata_.clear();
    to_ = &sink;
    counts_ = true;
  }

 private:
  ScanSink* to_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  bool counts_ = false;
};

}  // namespace

struct SplitReader::Part {
  Part(std::unique_ptr<FileRange> bytes, ChunkBuffers& buffers, const ChunkSetting& chunks, const LoadOptions& load)
      : range(std::move(bytes)),
        builder(load.build),
        records(builder, load.build, load.limits),
        sink(records),
        scanner(wanted_args(load.build.needs), sink, load.scan),
        feed(*range, buffers, chunks, scanner) {}

  std::unique_ptr<FileRange> range;
  TraceBuilder builder;
  Ingest records;
  Ingest* taker = &records;
  PartSink sink;
  Scanner scanner;
  Feed feed;

  void step(LoadProgress* progress) {
    const std::uint64_t before = range->next();
    feed.step();
    if (progress != nullptr) progress->packed_bytes += range->next() - before;
  }
  // Reads as far as `end`; it may be that the scanner has not taken the last bytes yet.
  void read_until(std::uint64_t end, LoadProgress* progress) {
    range->stop_at(end);
    while (range->next() < end && !feed.done() && taker->passed_limit().empty()) step(progress);
    if (!feed.done()) feed.offer_rest();
  }
  // The part counts: what it finds goes to `all` from now on.
  void join(Ingest& all) {
    sink.join(all);
    taker = &all;
  }
  bool arrived_between_records() const { return !feed.done() && feed.nothing_left() && scanner.between_records(); }
};

SplitReader::SplitReader(const Setting& setting, const LoadOptions& load, Ingest& ingest,
                         std::vector<std::unique_ptr<ChunkBuffers>>& buffers, LoadProgress* progress)
    : setting_(setting), load_(load), ingest_(ingest), buffers_(buffers), progress_(progress) {}

SplitReader::~SplitReader() = default;

Status SplitReader::add_part(std::uint64_t begin) {
  auto range = FileRange::open(setting_.path, begin);
  if (!range) return range.error();
  if (buffers_.size() <= parts_.size()) buffers_.push_back(std::make_unique<ChunkBuffers>());
  parts_.push_back(std::make_unique<Part>(std::move(range).value(), *buffers_[parts_.size()], setting_.chunks, load_));
  return {};
}

void SplitReader::read() {
  if (const Status opened = add_part(0); !opened) {
    error_ = opened.error();
    return;
  }
  read_head();
  if (parts_.front()->scanner.between_records()) make_guesses();
  read_parts();
  join_parts();
}

// The first part has to find the event array before others can begin in it.
void SplitReader::read_head() {
  Part& first = *parts_.front();
  first.join(ingest_);
  const std::uint64_t enough = setting_.file_bytes / setting_.parts;  // it has a part to read as well
  while (!first.feed.done() && !first.scanner.between_records() && first.range->next() < enough) {
    first.step(progress_);
    if (head_.empty()) head_ = first.feed.head().substr(0, kHeadBytes);
  }
}

void SplitReader::make_guesses() {
  const std::uint64_t begin = parts_.front()->range->next();
  for (std::size_t i = 1; i < setting_.parts; ++i) {
    const std::uint64_t wanted = setting_.file_bytes / setting_.parts * i;
    const std::uint64_t earliest = std::max(begin, parts_.back()->range->next() + 1);
    if (wanted < earliest) continue;
    const auto guess = guess_near(wanted);
    // Without a guess, or if the file cannot be opened once more, the part before just gets longer.
    if (!guess || *guess < earliest || !add_part(*guess)) continue;
    parts_.back()->scanner.continue_from(parts_.front()->scanner, *guess);
  }
}

std::optional<std::uint64_t> SplitReader::guess_near(std::uint64_t offset) const {
  auto range = FileRange::open(setting_.path, offset);
  if (!range) return std::nullopt;
  std::vector<char> window(kGuessWindow + kPadding);
  std::size_t size = 0;
  while (size < kGuessWindow) {
    const auto n = (*range)->read(window.data() + size, kGuessWindow - size);
    if (!n || *n == 0) break;
    size += *n;
  }
  LandmarkFinder landmarks;
  for (const char* from = window.data();;) {
    const Landmark found = landmarks.find(from, window.data() + size, MoreBytes::kYes);
    if (found.kind == Landmark::Kind::kNone || found.kind == Landmark::Kind::kMore) return std::nullopt;
    if (found.kind == Landmark::Kind::kEvent && !found.opens_array)
      return offset + static_cast<std::uint64_t>(found.at - window.data());
    from = found.at + 1;
  }
}

void SplitReader::read_parts() {
  const auto end_of = [&](std::size_t i) {
    return i + 1 < parts_.size() ? parts_[i + 1]->range->next() : FileRange::kToTheEnd;
  };
  std::vector<std::uint64_t> ends;
  for (std::size_t i = 0; i < parts_.size(); ++i) ends.push_back(end_of(i));
  parallel_for(parts_.size(), parts_.size(), [&](std::size_t i, std::size_t) {
    parts_[i]->read_until(ends[i], progress_);
    parts_[i]->taker->trim();
  });
  ends_ = std::move(ends);
}

void SplitReader::join_parts() {
  Part* current = parts_.front().get();
  ScanReport before;
  bool first = true;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    Part& next = *parts_[i];
    if (current->arrived_between_records() && next.records.self_contained() && ingest_.passed_limit().empty()) {
      before = first ? current->scanner.report() : joined(before, current->scanner.report());
      first = false;
      text_bytes_ += current->feed.text_bytes();
      ingest_.append(std::move(next.records));
      next.join(ingest_);
      current = &next;
      ++parts_joined_;
    } else {
      current->read_until(ends_[i], progress_);
    }
  }
  report_ = first ? current->scanner.report() : joined(before, current->scanner.report());
  text_bytes_ += current->feed.text_bytes();
  error_ = current->feed.error();
}

}  // namespace hta::input
