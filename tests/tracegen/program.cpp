#include "program.h"

#include <algorithm>

namespace tracegen {
namespace {

constexpr std::int64_t kHidden = 2048;
constexpr std::int64_t kTokens = 4096;
constexpr std::int64_t kBytesPerElement = 2;
constexpr std::int64_t kLayerBytes = 12 * kHidden * kHidden * kBytesPerElement;
constexpr std::int64_t kTensorBytes = std::int64_t{4} << 20U;
constexpr std::int64_t kStageBytes = kTokens * kHidden * kBytesPerElement;

// Event slots. Parameters are gathered one layer ahead, so two of theirs are alive at a time.
enum Slot : std::uint16_t { kSlotCopy, kSlotCompute, kSlotTensor, kSlotData, kSlotStage, kSlotGather0, kSlotGather1 };

/// The sizes of the four linear layers of a transformer layer.
struct Linear {
  OpId linear;
  OpId transpose;
  OpId addmm;
  Family family;
  int cost;  // in units of k_ns
  OpId input_grad;
  OpId weight_grad;
};
constexpr Linear kQkv = {OpId::kLinearQkv,  OpId::kTransposeQkv, OpId::kAddmmQkv, Family::kGemmQkv, 1,
                         OpId::kMmInputQkv, OpId::kMmWeightQkv};
constexpr Linear kOut = {OpId::kLinearOut,  OpId::kTransposeOut, OpId::kAddmmOut, Family::kGemmOut, 1,
                         OpId::kMmInputOut, OpId::kMmWeightOut};
constexpr Linear kUp = {OpId::kLinearUp,  OpId::kTransposeUp, OpId::kAddmmUp, Family::kGemmUp, 2,
                        OpId::kMmInputUp, OpId::kMmWeightUp};
constexpr Linear kDown = {OpId::kLinearDown,  OpId::kTransposeDown, OpId::kAddmmDown, Family::kGemmDown, 2,
                          OpId::kMmInputDown, OpId::kMmWeightDown};

enum class LaunchMode : std::uint8_t { kEager, kGraph };

/// Gradients are reduced once per step, with the last micro-batch.
enum class MicroBatch : std::uint8_t { kEarlier, kLast };

/// An extra layer is work that only this rank has, so it must not talk to anyone.
enum class LayerKind : std::uint8_t { kShared, kExtra };

class StepBuilder {
 public:
  StepBuilder(const Options& options, const Layout& layout, const Variant& variant, LaunchMode mode)
      : o_(options), layout_(layout), variant_(variant), mode_(mode) {}

  std::vector<Instr> build() {
    load_batch();
    const bool interleaved = layout_.stages() == 1;
    const auto position = [&](int m) { return m == o_.micro - 1 ? MicroBatch::kLast : MicroBatch::kEarlier; };
    for (int m = 0; m < o_.micro; ++m) {
      forward();
      if (interleaved) backward(position(m));
    }
    // With a pipeline all forward passes fill it first, and the backward passes drain it in reverse.
    for (int m = 0; !interleaved && m < o_.micro; ++m) backward(position(m));
    optimizer();
    read_loss();
    return std::move(code_);
  }

 private:
  void emit(Opcode op, Stream stream = Stream::kCompute, int id = 0, int arg = 0, std::int64_t value = 0) {
    // Inside a graph the host does nothing, so only what the GPU sees remains.
    const bool on_gpu = op == Opcode::kKernel || op == Opcode::kCollective || op == Opcode::kRecord ||
                        op == Opcode::kWait || op == Opcode::kGraphEnd;
    if (in_graph_ && !on_gpu) return;
    code_.push_back(Instr{op, stream, static_cast<std::uint16_t>(id), arg, value});
  }
  template <class Body>
  void op(OpId id, GradRole role, Body body) {
    emit(Opcode::kOpBegin, Stream::kCompute, static_cast<int>(id), static_cast<int>(role));
    body();
    emit(Opcode::kOpEnd);
  }
  template <class Body>
  void op(OpId id, Body body) {
    op(id, GradRole::kNone, body);
  }
  void leaf(OpId id, GradRole role = GradRole::kNone) {
    op(id, role, [&] { emit(Opcode::kWork); });
  }
  void kernel_op(OpId id, GradRole role, Family family, Nanos dur_ns) {
    op(id, role, [&] {
      emit(Opcode::kWork);
      kernel(family, dur_ns);
    });
  }
  template <class Body>
  void annotation(AnnotationId id, int arg, Body body) {
    emit(Opcode::kAnnotationBegin, Stream::kCompute, static_cast<int>(id), arg);
    body();
    emit(Opcode::kAnnotationEnd);
  }
  template <class Body>
  void module(Body body) {
    if (o_.python_stack > 0) emit(Opcode::kPythonEnter, Stream::kCompute, module_number_);
    body();
    if (o_.python_stack > 0) emit(Opcode::kPythonExit, Stream::kCompute, module_number_);
    ++module_number_;
  }
  void kernel(Family family, Nanos dur_ns) {
    emit(Opcode::kKernel, Stream::kCompute, kernel_of(family, layer_), 0, dur_ns);
  }
  /// Kernels of `to` that come next wait for everything `from` was given so far.
  void order(Stream from, Stream to, Slot slot) {
    emit(Opcode::kRecord, from, slot);
    emit(Opcode::kWait, to, slot);
  }
  void collective(CollectiveKind kind, Role role, Stream stream, std::int64_t bytes) {
    const Family family = kind == CollectiveKind::kAllReduce       ? Family::kAllReduce
                          : kind == CollectiveKind::kAllGather     ? Family::kAllGather
                          : kind == CollectiveKind::kReduceScatter ? Family::kReduceScatter
                                                                   : Family::kSendRecv;
    op(OpId::kRecordParamComms, [&] {
      annotation(AnnotationId::kCollective, static_cast<int>(kind), [&] {
        emit(Opcode::kCollective, stream, kernel_of(family, 0), static_cast<int>(kind) | static_cast<int>(role) << 8,
             bytes);
      });
    });
  }

  [[nodiscard]] bool has_data_group() const { return layout_.data_parallel() > 1; }
  [[nodiscard]] int layers() const { return o_.layers / layout_.stages(); }
  [[nodiscard]] int extra_after(int layer) const {
    return (layer + 1) * variant_.extra_work_pct / 100 - layer * variant_.extra_work_pct / 100;
  }

  void load_batch() {
    emit(Opcode::kLoader);
    for (int copy = 1; copy <= 4; ++copy) {
      op(OpId::kTo, [&] {
        op(OpId::kToCopy, [&] {
          op(OpId::kCopy, [&] {
            emit(Opcode::kWork);
            emit(Opcode::kCopy, Stream::kCopy, static_cast<int>(CopyKind::kToDevice), 0, copy * o_.copy_bytes);
          });
        });
      });
    }
    order(Stream::kCopy, Stream::kCompute, kSlotCopy);
  }

  void forward() {
    annotation(AnnotationId::kForward, 0, [&] {
      begin_graph(0);
      if (variant_.stage > 0) receive(Role::kPreviousStage);
      if (o_.zero == 1 && has_data_group()) {
        order(Stream::kCompute, Stream::kData, kSlotCompute);  // the optimizer wrote the parameters
        gather(0);
      }
      for (int layer = 0; layer < layers(); ++layer) {
        layer_ = layer;
        if (o_.zero == 1 && has_data_group()) {
          if (layer + 1 < layers()) gather(layer + 1);
          emit(Opcode::kWait, Stream::kCompute, gather_slot(layer));
        }
        forward_layer(LayerKind::kShared);
        for (int extra = 0; extra < extra_after(layer); ++extra) forward_layer(LayerKind::kExtra);
        if (variant_.sync_every > 0 && (layer + 1) % variant_.sync_every == 0) blocking_read();
        if (layer % 4 == 1) emit(Opcode::kAllocate);
      }
      if (variant_.stage + 1 < layout_.stages()) send(Role::kNextStage);
      end_graph();
    });
  }

  void forward_layer(LayerKind kind) {
    module([&] { layer_norm(); });
    module([&] { linear(kQkv); });
    module([&] {
      leaf(OpId::kView);
      op(OpId::kAttention, GradRole::kForward,
         [&] { kernel_op(OpId::kFlashForward, GradRole::kNone, Family::kFlashForward, o_.k_ns * 3 / 2); });
      leaf(OpId::kTranspose);
      leaf(OpId::kReshape);
    });
    module([&] { linear(kOut); });
    tensor_all_reduce(kind);
    module([&] { kernel_op(OpId::kAdd, GradRole::kForward, Family::kAdd, o_.ew_ns); });
    module([&] { layer_norm(); });
    module([&] { linear(kUp); });
    module([&] { kernel_op(OpId::kGelu, GradRole::kForward, Family::kGelu, o_.ew_ns); });
    module([&] { linear(kDown); });
    tensor_all_reduce(kind);
    module([&] { kernel_op(OpId::kAdd, GradRole::kForward, Family::kAdd, o_.ew_ns); });
  }

  void layer_norm() {
    op(OpId::kLayerNorm, [&] { kernel_op(OpId::kNativeLayerNorm, GradRole::kForward, Family::kLayerNorm, o_.ew_ns); });
  }
  void linear(const Linear& shape) {
    op(shape.linear, [&] {
      leaf(shape.transpose);
      kernel_op(shape.addmm, GradRole::kForward, shape.family, o_.k_ns * shape.cost);
    });
  }
  void tensor_all_reduce(LayerKind kind) {
    if (o_.tp == 1 || kind == LayerKind::kExtra) return;
    order(Stream::kCompute, Stream::kTensor, kSlotCompute);
    collective(CollectiveKind::kAllReduce, Role::kTensor, Stream::kTensor, kTensorBytes);
    order(Stream::kTensor, Stream::kCompute, kSlotTensor);
  }
  static Slot gather_slot(int layer) { return layer % 2 == 0 ? kSlotGather0 : kSlotGather1; }
  void gather(int layer) {
    collective(CollectiveKind::kAllGather, Role::kData, Stream::kData, kLayerBytes);
    emit(Opcode::kRecord, Stream::kData, gather_slot(layer));
  }
  void send(Role to) {
    order(Stream::kCompute, Stream::kPipeline, kSlotCompute);
    collective(CollectiveKind::kSend, to, Stream::kPipeline, kStageBytes);
  }
  void receive(Role from) {
    collective(CollectiveKind::kRecv, from, Stream::kPipeline, kStageBytes);
    order(Stream::kPipeline, Stream::kCompute, kSlotStage);
  }

  void backward(MicroBatch position) {
    annotation(AnnotationId::kBackward, 0, [&] {
      begin_graph(1);
      emit(Opcode::kThread, Stream::kCompute, static_cast<int>(Thread::kAutograd));
      if (variant_.stage + 1 < layout_.stages()) receive(Role::kNextStage);
      int in_bucket = 0;
      for (int layer = layers() - 1; layer >= 0; --layer) {
        layer_ = layer;
        for (int extra = 0; extra < extra_after(layer); ++extra) backward_layer();
        backward_layer();
        ++in_bucket;
        if (position == MicroBatch::kLast && (in_bucket == o_.bucket_layers || layer == 0)) {
          reduce_gradients(in_bucket);
          in_bucket = 0;
        }
      }
      if (variant_.stage > 0) send(Role::kPreviousStage);
      emit(Opcode::kThread, Stream::kCompute, static_cast<int>(Thread::kMain));
      end_graph();
    });
  }

  void backward_layer() {
    backward_op(OpId::kEvalAddBackward, OpId::kAddBackwardNode,
                [&] { kernel_op(OpId::kAddGradient, GradRole::kNone, Family::kAddGrad, o_.ew_ns); });
    linear_backward(kDown);
    backward_op(OpId::kEvalGeluBackward, OpId::kGeluBackwardNode,
                [&] { kernel_op(OpId::kGeluBackward, GradRole::kNone, Family::kGeluBackward, o_.ew_ns); });
    linear_backward(kUp);
    layer_norm_backward();
    backward_op(OpId::kEvalAddBackward, OpId::kAddBackwardNode,
                [&] { kernel_op(OpId::kAddGradient, GradRole::kNone, Family::kAddGrad, o_.ew_ns); });
    linear_backward(kOut);
    backward_op(OpId::kEvalAttentionBackward, OpId::kAttentionBackwardNode, [&] {
      op(OpId::kFlashBackward, [&] {
        emit(Opcode::kWork);
        kernel(Family::kFlashBackward, o_.k_ns * 3 / 2);
        kernel(Family::kFlashBackward, o_.k_ns * 3 / 2);
      });
    });
    linear_backward(kQkv);
    layer_norm_backward();
  }

  template <class Body>
  void backward_op(OpId evaluate, OpId node, Body body) {
    op(evaluate, GradRole::kEvaluate, [&] { op(node, GradRole::kBackward, body); });
  }
  void layer_norm_backward() {
    backward_op(OpId::kEvalLayerNormBackward, OpId::kLayerNormBackwardNode, [&] {
      kernel_op(OpId::kNativeLayerNormBackward, GradRole::kNone, Family::kLayerNormBackward, o_.ew_ns);
    });
  }
  void linear_backward(const Linear& shape) {
    backward_op(OpId::kEvalAddmmBackward, OpId::kAddmmBackwardNode, [&] {
      leaf(shape.transpose);
      kernel_op(shape.input_grad, GradRole::kNone, Family::kGemmInputGrad, o_.k_ns * shape.cost);
      leaf(shape.transpose);
      kernel_op(shape.weight_grad, GradRole::kNone, Family::kGemmWeightGrad, o_.k_ns * shape.cost);
      kernel_op(OpId::kSum, GradRole::kNone, Family::kBiasGrad, o_.ew_ns);
    });
  }

  void reduce_gradients(int bucket_layers) {
    if (!has_data_group()) return;
    order(Stream::kCompute, Stream::kData, kSlotCompute);
    collective(o_.zero == 1 ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce, Role::kData, Stream::kData,
               kLayerBytes * bucket_layers);
  }

  void optimizer() {
    if (has_data_group()) order(Stream::kData, Stream::kCompute, kSlotData);
    annotation(AnnotationId::kOptimizer, 0, [&] {
      for (layer_ = 0; layer_ < layers(); ++layer_) {
        kernel_op(OpId::kFusedAdamW, GradRole::kNone, Family::kOptimizer, 3 * o_.ew_ns);
      }
    });
  }

  void blocking_read() {
    op(OpId::kItem, [&] {
      op(OpId::kLocalScalarDense, [&] {
        emit(Opcode::kWork);
        emit(Opcode::kCopy, Stream::kCompute, static_cast<int>(CopyKind::kToHost), 0, 4);
        emit(Opcode::kSync, Stream::kCompute);
      });
    });
  }
  void read_loss() {
    const std::size_t skip = code_.size();
    emit(Opcode::kSkipUnlessItem);
    blocking_read();
    code_[skip].arg = static_cast<std::int32_t>(code_.size() - skip - 1);
  }

  void begin_graph(int number) {
    if (mode_ == LaunchMode::kEager) return;
    emit(Opcode::kGraphBegin, Stream::kCompute, number);
    in_graph_ = true;
  }
  void end_graph() {
    if (mode_ == LaunchMode::kEager) return;
    emit(Opcode::kGraphEnd);
    in_graph_ = false;
  }

  const Options& o_;
  const Layout& layout_;
  Variant variant_;
  LaunchMode mode_;
  bool in_graph_ = false;
  int layer_ = 0;
  int module_number_ = 0;
  std::vector<Instr> code_;
};

Variant variant_of(const Options& options, const Layout& layout, int rank) {
  Variant variant{.stage = layout.stage_of(rank)};
  for (const RankFactor& extra : options.extra_work) {
    if (extra.rank == rank) variant.extra_work_pct = extra.pct;
  }
  for (const RankCount& sync : options.sync_every) {
    if (sync.rank == rank || sync.rank < 0) variant.sync_every = static_cast<int>(sync.count);
  }
  return variant;
}

}  // namespace

Program build_program(const Options& options, const Layout& layout, const Variant& variant) {
  Program program;
  program.eager = StepBuilder(options, layout, variant, LaunchMode::kEager).build();
  if (options.cuda_graphs) program.replayed = StepBuilder(options, layout, variant, LaunchMode::kGraph).build();
  return program;
}

Programs::Programs(const Options& options, const Layout& layout) {
  std::vector<Variant> variants;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const Variant variant = variant_of(options, layout, rank);
    auto found = std::find(variants.begin(), variants.end(), variant);
    if (found == variants.end()) {
      programs_.push_back(build_program(options, layout, variant));
      found = variants.insert(variants.end(), variant);
    }
    program_of_rank_.push_back(static_cast<std::uint16_t>(found - variants.begin()));
  }
}

const std::vector<Instr>& Programs::step(int rank, int step) const {
  const Program& program = programs_[program_of_rank_[static_cast<std::size_t>(rank)]];
  // The first step is where a graph is captured, so it runs eagerly.
  return step > 0 && !program.replayed.empty() ? program.replayed : program.eager;
}

}  // namespace tracegen
