#pragma once
// The event arguments that analyses may ask for, and sparse columns that hold them.

#include "hta/base/column.h"
#include "hta/base/ids.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace hta {

/// Arguments known by name. The scanner skips all others, and those that no analysis asked for.
enum class ArgKey : std::uint8_t {
  kDevice,
  kStream,
  kCorrelation,
  kBytes,
  kSize,
  kMemoryBandwidth,
  kCollectiveName,
  kDtype,
  kInMsgNelems,
  kOutMsgNelems,
  kInSplitSize,
  kOutSplitSize,
  kGroupSize,
  kProcessGroupName,
  kProcessGroupDescription,
  kProcessGroupRanks,
  kProcessGroupId,
  kGlobalRankStart,
  kGlobalRankStride,
  kSeq,
  kCommsId,
  kRank,
  kSourceRank,
  kDestinationRank,
  kIsAsynchronized,
  kExternalId,
  kSequenceNumber,
  kFwdThreadId,
  kPythonId,
  kPythonParentId,
  kInputDims,
  kInputType,
  kInputStrides,
  kConcreteInputs,
  kCallStack,
  kWaitOnStream,
  kWaitOnEventRecordCorrelation,
  kWaitOnEventId,
  kEventId,
  kSyncKind,
  kMemoryBytes,
  kTotalAllocated,
  kTotalReserved,
  kDeviceId,
  kDeviceType,
  kAddress,
  kGraphId,
  kGraphNodeId,
  kGrid,
  kBlock,
  kSharedMemory,
  kRegistersPerThread,
  kOccupancy,
  kPriority,
  kLabels,
  kName,
  kSortIndex,
  kTaskType,
  kCount
};
inline constexpr std::size_t kArgCount = static_cast<std::size_t>(ArgKey::kCount);

/// How the text of an argument becomes 64 bits.
enum class ArgType : std::uint8_t {
  kInteger,  ///< integer, or a string that holds one; anything else counts as absent
  kRate,     ///< decimal number, stored in 10^-9 (GB/s become bytes/s)
  kText,     ///< string (decoded), or the raw text of an array, object or number; stored as StringId
};

struct ArgSpec {
  std::string_view name;  ///< as the profiler spells it
  ArgType type;
};
const ArgSpec& arg_spec(ArgKey key);

/// A set of arguments.
class ArgSet {
 public:
  ArgSet() = default;
  ArgSet(std::initializer_list<ArgKey> keys) {
    for (const ArgKey key : keys) insert(key);
  }
  void insert(ArgKey key) { bits_.set(static_cast<std::size_t>(key)); }
  bool contains(ArgKey key) const { return bits_.test(static_cast<std::size_t>(key)); }
  ArgSet& operator|=(const ArgSet& other) {
    bits_ |= other.bits_;
    return *this;
  }
  bool empty() const { return bits_.none(); }

 private:
  std::bitset<kArgCount> bits_;
};

/// The values of one argument for the rows that have it, sorted by row. Text values are StringIds.
template <class Index>
class ArgColumn {
 public:
  void add(Index row, std::int64_t value) {
    rows_.push_back(row);
    values_.push_back(value);
  }
  std::size_t size() const { return rows_.size(); }
  Index row(std::size_t i) const { return rows_.data()[i]; }
  std::int64_t value(std::size_t i) const { return values_.data()[i]; }

  /// The value of `row`; O(log n).
  std::optional<std::int64_t> find(Index row) const {
    std::size_t low = 0;
    std::size_t high = rows_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (rows_.data()[middle] < row) low = middle + 1;
      else high = middle;
    }
    if (low == rows_.size() || rows_.data()[low] != row) return std::nullopt;
    return values_.data()[low];
  }
  StringId find_text(Index row) const {
    const auto value = find(row);
    return value ? StringId(static_cast<std::size_t>(*value)) : StringId();
  }
  void trim() {
    rows_.trim();
    values_.trim();
  }
  void clear() {
    rows_.clear();
    values_.clear();
  }
  Column<Index, Index>& rows() { return rows_; }
  Column<Index, std::int64_t>& values() { return values_; }

 private:
  Column<Index, Index> rows_;
  Column<Index, std::int64_t> values_;
};

template <class Index>
struct ArgTable {
  std::array<ArgColumn<Index>, kArgCount> columns;
  const ArgColumn<Index>& operator[](ArgKey key) const { return columns[static_cast<std::size_t>(key)]; }
  ArgColumn<Index>& operator[](ArgKey key) { return columns[static_cast<std::size_t>(key)]; }
};

}  // namespace hta
