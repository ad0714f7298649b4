#include "collect.h"

#include "hta/analysis/collective_kind.h"
#include "hta/analysis/device_time.h"
#include "hta/base/text.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "kernel_operators.h"

namespace hta::analysis::comm {
namespace {

const ArgSet kMetadata{ArgKey::kCollectiveName,
                       ArgKey::kDtype,
                       ArgKey::kInMsgNelems,
                       ArgKey::kOutMsgNelems,
                       ArgKey::kInSplitSize,
                       ArgKey::kOutSplitSize,
                       ArgKey::kGroupSize,
                       ArgKey::kProcessGroupName,
                       ArgKey::kProcessGroupDescription,
                       ArgKey::kProcessGroupRanks,
                       ArgKey::kProcessGroupId,
                       ArgKey::kGlobalRankStart,
                       ArgKey::kGlobalRankStride,
                       ArgKey::kSeq,
                       ArgKey::kCommsId,
                       ArgKey::kRank,
                       ArgKey::kSourceRank,
                       ArgKey::kDestinationRank};

std::vector<std::int64_t> integers_in(std::string_view text) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < text.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error == std::errc{}) {
      out.push_back(value);
      i = static_cast<std::size_t>(end - text.data());
    } else {
      ++i;
    }
  }
  return out;
}

// A list cut short with dots is rebuilt from its first rank, stride and size, or not known at all.
RankSet group_ranks(std::string_view list, std::optional<std::int64_t> start, std::optional<std::int64_t> stride,
                    std::int64_t size) {
  std::vector<std::int64_t> ranks = integers_in(list);
  const bool whole = list.find("...") == std::string_view::npos && !ranks.empty();
  if (!whole) {
    ranks.clear();
    constexpr std::int64_t kLargestGroup = 1 << 20;
    if (start && *start >= 0 && stride && *stride > 0 && size > 0 && size <= kLargestGroup) {
      for (std::int64_t i = 0; i < size; ++i) ranks.push_back(*start + i * *stride);
    }
  }
  constexpr std::int64_t kMostRanks = std::int64_t{1} << 32;
  std::erase_if(ranks, [](std::int64_t rank) { return rank < 0 || rank >= kMostRanks; });
  return RankSet(std::move(ranks));
}

// Collective metadata of one event, from whichever table has it.
template <class Index>
class Metadata {
 public:
  Metadata(const Trace& trace, const ArgTable<Index>& args, Index row) : trace_(trace), args_(args), row_(row) {}
  std::string_view text(ArgKey key) const {
    const StringId id = args_[key].find_text(row_);
    return id.valid() ? trace_.text(id) : std::string_view();
  }
  StringId text_id(ArgKey key) const { return args_[key].find_text(row_); }
  std::optional<std::int64_t> number(ArgKey key) const { return args_[key].find(row_); }

 private:
  const Trace& trace_;
  const ArgTable<Index>& args_;
  Index row_;
};

// What the operations of one kernel are together.
class GroupCall {
 public:
  void add(const Metadata<HostId>& data) {
    const std::string_view name = data.text(ArgKey::kCollectiveName);
    const std::string_view kind = collective_kind(name);
    const std::string_view dtype = data.text(ArgKey::kDtype);
    const std::int64_t in = std::max<std::int64_t>(0, data.number(ArgKey::kInMsgNelems).value_or(0));
    const std::int64_t out = std::max<std::int64_t>(0, data.number(ArgKey::kOutMsgNelems).value_or(0));
    if (kind_.empty()) kind_ = kind, dtype_ = dtype;
    if (kind != kind_) kind_ = "other";
    same_dtype_ = same_dtype_ && dtype == dtype_;
    const bool pair = kind == "send_recv";
    const bool receives = pair && contains_ignoring_case(name, "recv");
    const std::int64_t sent = pair && receives ? 0 : in;
    const std::int64_t received = pair && !receives ? 0 : out;
    in_ += sent;
    out_ += received;
    in_bytes_ += sent * element_bytes(dtype);
    out_bytes_ += received * element_bytes(dtype);
    sized_ = sized_ && element_bytes(dtype) > 0;
    if (pair) partners_.insert(data.number(receives ? ArgKey::kSourceRank : ArgKey::kDestinationRank).value_or(-1));
  }

  // With several data types the elements are bytes.
  Signature signature() const {
    return {kind_,
            same_dtype_ ? std::string(dtype_)
            : sized_    ? "Byte"
                        : "",
            kind_ == "send_recv" ? Pairing::kExchange : Pairing::kGroup};
  }
  std::int64_t in_elements() const { return same_dtype_ ? in_ : in_bytes_; }
  std::int64_t out_elements() const { return same_dtype_ ? out_ : out_bytes_; }
  std::optional<std::int64_t> only_partner() const {
    return partners_.size() == 1 && *partners_.begin() >= 0 ? std::optional(*partners_.begin()) : std::nullopt;
  }

 private:
  std::string_view kind_;
  std::string_view dtype_;
  bool same_dtype_ = true;
  bool sized_ = true;
  std::int64_t in_ = 0;
  std::int64_t out_ = 0;
  std::int64_t in_bytes_ = 0;
  std::int64_t out_bytes_ = 0;
  std::set<std::int64_t> partners_;
};

class Collector {
 public:
  explicit Collector(const Trace& trace)
      : trace_(trace), operators_(trace), computing_(rank_type_sets(trace)[KernelType::kComputation]) {}

  void run(RankComm& out) {
    const GpuEvents& gpu = trace_.gpu;
    for (const GpuId i : IdRange<GpuId>(gpu.size())) {
      if (gpu.type[i] != KernelType::kCommunication) continue;
      Collective c;
      c.start_ns = gpu.start_ns[i];
      c.dur_ns = gpu.dur_ns[i];
      c.exposed_ns = c.dur_ns - computing_.length_in({c.start_ns, c.end_ns()});
      if (gpu.step[i].valid()) c.step = trace_.step(gpu.step[i]).number;
      const std::span<const HostId> operators = operators_.of(i);
      if (trace_.gpu_args[ArgKey::kCollectiveName].find(i)) {
        describe(Metadata(trace_, trace_.gpu_args, i), i, out, c);
      } else if (operators.size() < 2) {
        describe(Metadata(trace_, trace_.host_args, operators.empty() ? launch_of(i) : operators.front()), i, out, c);
      } else {
        describe_group(operators, out, c);
      }
      out.collectives.push_back(c);
    }
  }

 private:
  HostId launch_of(GpuId i) const {
    const LaunchId call = trace_.gpu.launch[i];
    return call.valid() ? trace_.launches.host[call] : HostId();
  }

  // What the ranges around the launch call it: `nccl:all_to_all` runs kernels named SendRecv.
  std::string_view range_name(GpuId i) const {
    for (HostId up = launch_of(i); up.valid(); up = trace_.host.parent[up]) {
      const std::string_view name = trace_.name(up);
      if (name.starts_with("nccl:") || name.starts_with("rccl:") || name.starts_with("c10d::")) return name;
    }
    return {};
  }

  template <class Index>
  void describe(const Metadata<Index>& data, GpuId event, RankComm& out, Collective& c) {
    c.group = group_of(data, out);
    c.signature = signature_of(data, event, out);
    c.seq = data.number(ArgKey::kSeq).value_or(-1);
    c.comms_id = comms_id(data);
    c.in_elements = data.number(ArgKey::kInMsgNelems).value_or(-1);
    c.out_elements = data.number(ArgKey::kOutMsgNelems).value_or(-1);
    c.source = data.number(ArgKey::kSourceRank).value_or(-1);
    c.destination = data.number(ArgKey::kDestinationRank).value_or(-1);
    c.uneven_elements = uneven(data, out.groups[c.group], c);
  }

  template <class Index>
  static std::uint64_t comms_id(const Metadata<Index>& data) {
    const std::string_view id = data.text(ArgKey::kCommsId);
    return id.empty() || id == "0" ? 0 : std::hash<std::string_view>{}(id) | 1u;
  }

  // Several operations in one kernel: what they move is added up.
  void describe_group(std::span<const HostId> operators, RankComm& out, Collective& c) {
    const Metadata<HostId> first(trace_, trace_.host_args, operators.front());
    GroupCall call;
    for (const HostId op : operators) call.add(Metadata<HostId>(trace_, trace_.host_args, op));
    c.group = group_of(first, out);
    c.signature = signature_id(call.signature(), out);
    c.in_elements = call.in_elements();
    c.out_elements = call.out_elements();
    if (call.signature().pairing == Pairing::kGroup) {
      c.seq = first.number(ArgKey::kSeq).value_or(-1);
      c.comms_id = comms_id(first);
    } else if (const auto partner = call.only_partner(); partner && trace_.info.rank) {
      // Numbers of single sends and receives say nothing about the call: its place in the order of the two has to do.
      c.source = std::min(*partner, *trace_.info.rank);
      c.destination = std::max(*partner, *trace_.info.rank);
    }
  }

  template <class Index>
  std::uint32_t group_of(const Metadata<Index>& data, RankComm& out) {
    const std::int64_t size = data.number(ArgKey::kGroupSize).value_or(0);
    const auto start = data.number(ArgKey::kGlobalRankStart);
    const auto stride = data.number(ArgKey::kGlobalRankStride);
    const std::tuple key{data.text_id(ArgKey::kProcessGroupName),
                         data.text_id(ArgKey::kProcessGroupId),
                         data.text_id(ArgKey::kProcessGroupDescription),
                         data.text_id(ArgKey::kProcessGroupRanks),
                         size,
                         start.value_or(-1),
                         stride.value_or(-1)};
    const auto [at, fresh] = groups_.try_emplace(key, static_cast<std::uint32_t>(out.groups.size()));
    if (fresh) {
      Group group;
      group.description = data.text(ArgKey::kProcessGroupDescription);
      if (group.description == "undefined") group.description.clear();
      group.name = data.text(ArgKey::kProcessGroupName);
      if (group.name.empty()) group.name = data.text(ArgKey::kProcessGroupId);
      group.ranks = group_ranks(data.text(ArgKey::kProcessGroupRanks), start, stride, size);
      group.size = size > 0 ? size : static_cast<std::int64_t>(group.ranks.size());
      out.groups.push_back(std::move(group));
    }
    return at->second;
  }

  template <class Index>
  std::uint32_t signature_of(const Metadata<Index>& data, GpuId event, RankComm& out) {
    Signature signature;
    const std::string_view given = data.text(ArgKey::kCollectiveName);
    signature.kind = collective_kind(given.empty() ? trace_.name(event) : given);
    if (!given.empty() && signature.kind == "send_recv") signature.pairing = Pairing::kPair;
    if (given.empty() && (signature.kind == "send_recv" || signature.kind == "other")) {
      if (const std::string_view range = range_name(event); !range.empty()) {
        signature.kind = collective_kind(range);
        if (signature.kind == "send_recv") signature.pairing = Pairing::kPair;
      }
    }
    signature.dtype = data.text(ArgKey::kDtype);
    return signature_id(signature, out);
  }

  std::uint32_t signature_id(const Signature& signature, RankComm& out) {
    const auto [at, fresh] = signatures_.try_emplace(signature, static_cast<std::uint32_t>(out.signatures.size()));
    if (fresh) out.signatures.push_back(signature);
    return at->second;
  }

  // The larger of what leaves and what comes in, without the part that a rank keeps for itself.
  template <class Index>
  std::int64_t uneven(const Metadata<Index>& data, const Group& group, const Collective& c) const {
    const std::string_view in_text = data.text(ArgKey::kInSplitSize);
    const std::string_view out_text = data.text(ArgKey::kOutSplitSize);
    const auto whole = [](std::string_view list) {
      return list.size() > 2 && list.find("...") == std::string_view::npos;
    };
    if (!whole(in_text) || !whole(out_text) || c.in_elements < 0 || c.out_elements < 0) return -1;
    const std::vector<std::int64_t> in = integers_in(in_text);
    const std::vector<std::int64_t> out = integers_in(out_text);
    const auto index = place_in(data, group);
    if (index >= in.size() || index >= out.size()) return -1;
    return std::max(moved(in, index, c.in_elements), moved(out, index, c.out_elements));
  }
  // Where the rank stands in the lists of a group, SIZE_MAX if that is not known.
  template <class Index>
  std::size_t place_in(const Metadata<Index>& data, const Group& group) const {
    if (const auto rank = trace_.info.rank) {
      if (const auto self = group.ranks.index_of(*rank)) return *self;
    }
    const std::int64_t own = data.number(ArgKey::kRank).value_or(-1);
    return own < 0 ? SIZE_MAX : static_cast<std::size_t>(own);
  }
  // Splits count rows; their share of the elements is what counts.
  static std::int64_t moved(const std::vector<std::int64_t>& splits, std::size_t self, std::int64_t elements) {
    const std::int64_t rows = std::accumulate(splits.begin(), splits.end(), std::int64_t{0});
    if (rows <= 0) return elements;
    return static_cast<std::int64_t>(Int128{elements} * (rows - splits[self]) / rows);
  }

  const Trace& trace_;
  KernelOperators operators_;
  IntervalSet computing_;
  std::map<std::tuple<StringId, StringId, StringId, StringId, std::int64_t, std::int64_t, std::int64_t>, std::uint32_t>
      groups_;
  std::map<Signature, std::uint32_t> signatures_;
};

}  // namespace

std::string Group::label() const {
  std::string text = description.empty() ? (name.empty() ? "" : "group " + name) : description;
  if (ranks.empty()) {
    if (text.empty()) text = "not named";
    return size > 0 ? text + " (" + std::to_string(size) + " ranks)" : text;
  }
  if (!text.empty()) text += ' ';
  if (const auto stride = ranks.stride())
    return text + std::to_string(ranks[0]) + "-" + std::to_string(ranks[ranks.size() - 1]) +
           (*stride == 1 ? "" : ":" + std::to_string(*stride));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (i == 8 && ranks.size() > 9) return text + ",… (" + std::to_string(ranks.size()) + " ranks)";
    text += (i == 0 ? "" : ",") + std::to_string(ranks[i]);
  }
  return text;
}

Needs collective_needs(const Options&) {
  Needs needs;
  needs.call_tree = true;
  needs.gpu_args = kMetadata;
  needs.gpu_args.insert(ArgKey::kGrid);
  needs.host_args = kMetadata;
  return needs;
}

RankComm collect(const Trace& trace, const Options&) {
  RankComm out;
  Collector(trace).run(out);
  out.steps = own_work(trace);
  const GpuEvents& gpu = trace.gpu;
  Nanos last_ns = INT64_MIN;
  for (const GpuId i : IdRange<GpuId>(gpu.size())) last_ns = std::max(last_ns, gpu.end_ns(i));
  if (gpu.size() > 0) out.span_ns = last_ns - gpu.start_ns[GpuId(0)];
  return out;
}

std::int64_t element_bytes(std::string_view dtype) {
  const std::string type = to_lower(dtype);
  if (type.find("complexdouble") != std::string::npos || type == "complex128") return 16;
  if (type == "double" || type == "long" || type == "long int" || type == "int64" || type == "uint64" ||
      type == "float64" || type.find("complexfloat") != std::string::npos || type == "complex64")
    return 8;
  if (type.starts_with("float8") || type.starts_with("float4") || type.starts_with("fp8")) return 1;
  if (type == "bfloat16" || type == "half" || type == "float16" || type == "short" || type == "int16" ||
      type == "uint16" || type == "bits16")
    return 2;
  if (type == "float" || type == "int" || type == "float32" || type == "int32" || type == "uint32" ||
      type == "complexhalf")
    return 4;
  if (type == "bool" || type == "byte" || type == "char" || type == "int8" || type == "uint8" ||
      type.starts_with("bits") || type.starts_with("quint") || type == "qint8")
    return 1;
  return 0;
}

}  // namespace hta::analysis::comm
