#pragma once

#include <cstdint>
#include <vector>

#include "catalog.h"
#include "layout.h"
#include "options.h"

namespace tracegen {

/// Streams of one GPU, by position; stream_number() is what the trace shows.
enum class Stream : std::uint8_t { kCompute, kCopy, kData, kTensor, kPipeline };
inline constexpr int kStreams = 5;
[[nodiscard]] constexpr int stream_number(Stream stream) {
  constexpr int kNumbers[kStreams] = {7, 16, 20, 24, 28};
  return kNumbers[static_cast<std::size_t>(stream)];
}

enum class Thread : std::uint8_t { kMain, kAutograd, kLoader };
inline constexpr int kThreads = 3;

/// How an operator takes part in automatic differentiation.
enum class GradRole : std::uint8_t {
  kNone,
  kForward,   ///< takes a sequence number; its backward will come in reverse order
  kEvaluate,  ///< the engine's wrapper around the backward of the latest forward still open
  kBackward   ///< the backward itself
};

enum class Opcode : std::uint8_t {
  kOpBegin,          // id = OpId, arg = GradRole
  kOpEnd,            //
  kWork,             // the processor time of a leaf operator
  kAnnotationBegin,  // id = AnnotationId, arg = CollectiveKind for kCollective
  kAnnotationEnd,    //
  kKernel,           // id = kernel, value = base duration
  kCopy,             // id = CopyKind, value = bytes
  kRecord,           // stream, id = event slot
  kWait,             // stream, id = event slot
  kSync,             // stream
  kCollective,       // stream, id = kernel, arg = CollectiveKind | Role << 8, value = bytes
  kThread,           // id = Thread that goes on
  kLoader,           // fetches a batch
  kPythonEnter,      // id = module number
  kPythonExit,       // id = module number
  kAllocate,         // cudaMalloc / cudaFree, on ranks and steps that were asked for
  kSkipUnlessItem,   // arg = instructions to skip when this step does not read the loss
  kGraphBegin,       // one call launches all kernels up to kGraphEnd; id = graph number
  kGraphEnd
};

enum class CopyKind : std::uint8_t { kToDevice, kToHost };

struct Instr {
  Opcode op;
  Stream stream;
  std::uint16_t id;
  std::int32_t arg;
  std::int64_t value;
};

/// What makes the program of one rank differ from another's.
struct Variant {
  int stage = 0;
  int extra_work_pct = 0;
  int sync_every = 0;
  bool operator==(const Variant&) const = default;
};

/// One training step as a flat list. All ranks of one variant share it; what a step costs on a rank is decided when the
/// list is run. `replayed` is the same step launched as CUDA graphs, empty without them.
struct Program {
  std::vector<Instr> eager;
  std::vector<Instr> replayed;
};

/// Builds the step of `variant`. Cost: linear in its length, about 180 instructions per layer and micro-batch.
[[nodiscard]] Program build_program(const Options& options, const Layout& layout, const Variant& variant);

/// The programs of all ranks; equal variants are built once.
class Programs {
 public:
  Programs(const Options& options, const Layout& layout);
  [[nodiscard]] const std::vector<Instr>& step(int rank, int step) const;

 private:
  std::vector<Program> programs_;
  std::vector<std::uint16_t> program_of_rank_;
};

}  // namespace tracegen
