#include "hta/analysis/host_cause.h"

#include "hta/base/text.h"

#include <algorithm>

namespace hta::analysis {
namespace {

using Names = std::initializer_list<std::string_view>;

bool contains_any(std::string_view text, Names parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool starts_with_any(std::string_view text, Names prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// cudaX, hipX, cuX, and the calls of other devices' runtimes.
bool is_runtime_name(std::string_view name) {
  return starts_with_any(name, {"cu", "hip", "ze", "ur", "sycl", "musa", "acl"});
}

NameHint call_hint(std::string_view name) {
  if (!is_runtime_name(name)) return NameHint::kNone;
  if (contains_any(name, {"Synchronize", "urQueueFinish", "urEventWait"}) || name == "cudaMemcpy" ||
      name == "hipMemcpy" || name == "hipMemcpyWithStream" || name == "hipMemcpyDtoH" || name == "hipMemcpyHtoD") {
    return NameHint::kSynchronisation;
  }
  if (contains_any(name, {"Malloc", "Free", "HostAlloc", "HostRegister", "HostUnregister", "MemAlloc", "MemCreate",
                          "MemMap", "MemUnmap", "MemRelease", "MemAddressReserve", "MemSetAccess"})) {
    return NameHint::kMemoryAllocation;
  }
  if (contains_any(
          name, {"ModuleLoad", "LibraryLoad", "ModuleGetFunction", "LinkCreate", "LinkComplete", "GraphInstantiate"})) {
    return NameHint::kCodeLoading;
  }
  return NameHint::kNone;
}

}  // namespace

std::string_view host_cause_name(HostCause cause) {
  switch (cause) {
    case HostCause::kDataLoading: return "data_loading";
    case HostCause::kSynchronisation: return "synchronisation";
    case HostCause::kMemoryAllocation: return "memory_allocation";
    case HostCause::kCompilation: return "compilation";
    case HostCause::kOptimizer: return "optimizer";
    case HostCause::kCommunication: return "communication_call";
    case HostCause::kRuntimeCall: return "runtime_call";
    case HostCause::kOperator: return "operator";
    case HostCause::kPython: return "python";
    case HostCause::kAnnotation: return "annotation";
    case HostCause::kProfiler: return "profiler";
    case HostCause::kOtherHost: return "other_host";
    case HostCause::kLaunchLatency: return "launch_latency";
    case HostCause::kNotRecorded: return "not_recorded";
  }
  return {};
}

std::string_view host_cause_words(HostCause cause) {
  switch (cause) {
    case HostCause::kDataLoading: return "data loading";
    case HostCause::kSynchronisation: return "waiting in a synchronising call";
    case HostCause::kMemoryAllocation: return "memory allocation";
    case HostCause::kCompilation: return "compiling or loading code";
    case HostCause::kOptimizer: return "the optimizer";
    case HostCause::kCommunication: return "collective calls";
    case HostCause::kRuntimeCall: return "runtime calls";
    case HostCause::kOperator: return "operator dispatch";
    case HostCause::kPython: return "Python";
    case HostCause::kAnnotation: return "an annotated region";
    case HostCause::kProfiler: return "the profiler itself";
    case HostCause::kOtherHost: return "other host work";
    case HostCause::kLaunchLatency: return "launch latency";
    case HostCause::kNotRecorded: return "nothing that was recorded";
  }
  return {};
}

NameHint name_hint(std::string_view name) {
  if (contains_ignoring_case(name, "dataloader") || contains_any(name, {"torch/utils/data/"}))
    return NameHint::kDataLoading;
  if (starts_with_any(name, {"Optimizer.", "torch/optim/"}) || contains_any(name, {"/torch/optim/"}))
    return NameHint::kOptimizer;
  if (contains_any(name, {"torch/_dynamo/convert_frame", "torch/_dynamo/symbolic_convert", "torch/_inductor/compile_fx",
                          "torch/_inductor/graph.py", "compile_fx", "_compile.compile_inner", "triton/compiler/"})) {
    return NameHint::kCompilation;
  }
  if (starts_with_any(name, {"c10d::", "nccl:", "rccl:", "record_param_comms", "gloo:", "ucc:"}))
    return NameHint::kCommunication;
  return call_hint(name);
}

HostCause region_cause(NameHint hint) {
  switch (hint) {
    case NameHint::kDataLoading: return HostCause::kDataLoading;
    case NameHint::kCompilation: return HostCause::kCompilation;
    case NameHint::kOptimizer: return HostCause::kOptimizer;
    case NameHint::kCommunication: return HostCause::kCommunication;
    default: return HostCause::kNotRecorded;
  }
}

HostCause own_cause(CategoryKind kind, NameHint hint) {
  switch (kind) {
    case CategoryKind::kLaunch:
      if (hint == NameHint::kSynchronisation) return HostCause::kSynchronisation;
      if (hint == NameHint::kMemoryAllocation) return HostCause::kMemoryAllocation;
      if (hint == NameHint::kCodeLoading) return HostCause::kCompilation;
      return HostCause::kRuntimeCall;
    case CategoryKind::kOperator: return HostCause::kOperator;
    case CategoryKind::kPython: return HostCause::kPython;
    case CategoryKind::kUserAnnotation: return HostCause::kAnnotation;
    case CategoryKind::kOverhead:
    case CategoryKind::kProfilerRange: return HostCause::kProfiler;
    default: return HostCause::kOtherHost;
  }
}

bool outranks_region(CategoryKind kind, NameHint hint) {
  return kind == CategoryKind::kLaunch &&
         (hint == NameHint::kSynchronisation || hint == NameHint::kMemoryAllocation || hint == NameHint::kCodeLoading);
}

bool is_user_frame(std::string_view name) {
  // "train.py(212): train_step"; built-ins and modules are written differently.
  if (name.starts_with('<') || name.starts_with("nn.Module") || name.find(".py(") == std::string_view::npos)
    return false;
  if (contains_any(name, {"site-packages/", "dist-packages/", "lib/python", "torch/", "importlib"})) return false;
  return !starts_with_any(
      name, {"threading.py", "contextlib.py", "selectors.py",  "socket.py",      "queue.py",   "multiprocessing/",
             "concurrent/",  "asyncio/",      "functools.py",  "runpy.py",       "typing.py",  "enum.py",
             "abc.py",       "json/",         "collections/",  "copy.py",        "weakref.py", "logging/",
             "inspect.py",   "os.py",         "re.py",         "random.py",      "numpy/",     "triton/",
             "pickle.py",    "tempfile.py",   "subprocess.py", "dataclasses.py", "warnings.py"});
}

}  // namespace hta::analysis
