#include "property/trace_text.h"

#include <array>
#include <string_view>

namespace hta::test {
namespace {

class TextMaker {
 public:
  TextMaker(std::mt19937_64& random, const TextOptions& options) : random_(random), options_(options) {}

  std::string document() {
    std::string text;
    if (options_.bare_array) {
      text = "[";
      records(text);
      return text + "]";
    }
    text =
        "{" + gap() + R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A100", "numSms": 108}],)" + gap();
    if (chance(2)) text += R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},)" + gap();
    text += R"("traceEvents": [)";
    records(text);
    text += "]";
    if (chance(2)) text += R"(, "traceName": "trace.json", "baseTimeNanoseconds": 1712195495000000000)";
    if (chance(2)) text += R"(, "note": [{"ph": "X", "name": "no record", "ts": 1, "dur": 1}, {"ph": "X"}])";
    return text + "}" + gap();
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  std::string number(std::size_t n) { return std::to_string(below(n)); }
  std::string gap() { return options_.pretty ? "\n" + std::string(2 + below(3), ' ') : ""; }
  template <std::size_t N>
  std::string one_of(const std::array<std::string_view, N>& texts) {
    return std::string(texts[below(N)]);
  }

  void records(std::string& text) {
    for (std::size_t i = 0; i < options_.records; ++i) {
      if (i > 0) text += ",";
      text += gap() + record();
    }
    if (chance(8)) text += ",";
    text += gap();
  }

  std::string name() {
    if (options_.traps && chance(4))
      return R"(x\"}, {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 5, \"dur\": 1}, {\"ph\":)";
    return one_of(std::array<std::string_view, 9>{
        "aten::mm", "aten::add_", "ncclDevKernel_AllReduce", "Memcpy DtoH", "cudaLaunchKernel", "ProfilerStep#7",
        "with \\\"quotes\\\" and \\u00e9", "long name that goes on and on and on, <int, float>(at::Tensor const&)",
        "{[(,:"});
  }

  std::string pid() {
    if (options_.labels) return R"("[TP0)" + number(3) + R"(] 83")";
    return chance(6) ? "\"python\"" : number(4);
  }

  std::string time() {
    const std::string whole = std::to_string(1'000'000 + now_);
    now_ += below(40);
    if (chance(30)) return '"' + whole + '"';
    if (chance(30)) return whole + "e0";
    return chance(2) ? whole : whole + "." + number(1000);
  }

  std::string args() {
    std::string text = "\"args\": {";
    text += R"("External id": )" + number(100) + R"(, "correlation": )" + number(300) + R"(, "stream": )" + number(3) +
            R"(, "device": 0)";
    if (chance(3))
      text += R"(, "Input Dims": [[64, 3, 7, 7], [], [)" + number(9) + R"(]], "Input type": ["float", "", "Scalar"])";
    if (chance(6))
      text += R"(, "Collective name": "allreduce", "dtype": "c10::BFloat16", "In msg nelems": )" + number(5000);
    if (chance(6)) text += R"~(, "memory bandwidth (GB/s)": 12.)~" + number(99) + R"(, "bytes": )" + number(5000);
    if (options_.traps && chance(5)) {
      text += R"(, "list": [{"a": 1})";
      for (std::size_t i = 0; i < 40; ++i)
        text += R"(, {"ph": "X", "cat": "kernel", "name": "trap", "pid": 0, "tid": 7, "ts": 1, "dur": 2})";
      text += "]";
    }
    return text + "}";
  }

  std::string record() {
    const std::string where = R"("pid": )" + pid() + R"(, "tid": )" + number(3);
    if (chance(20)) return R"({"ph": "M", "name": "process_name", )" + where + R"(, "args": {"name": "python"}})";
    if (chance(20))
      return R"({"ph": ")" + one_of(std::array<std::string_view, 2>{"s", "f"}) + R"(", "id": )" +
             (options_.labels ? "\"a\"" : number(50)) + R"(, "cat": "fwdbwd", "name": "fwdbwd", )" + where +
             R"(, "ts": )" + time() + "}";
    if (chance(20))
      return R"({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", )" + where + R"(, "ts": )" +
             time() + R"(, "args": {"Total Allocated": )" + number(999) +
             R"(, "Bytes": 8, "Device Type": 1, "Device Id": 0}})";
    if (options_.pairs && chance(10))
      return R"({"ph": ")" + one_of(std::array<std::string_view, 2>{"B", "E"}) +
             R"(", "cat": "cpu_op", "name": "pair", )" + where + R"(, "ts": )" + time() + "}";
    if (chance(60)) return "{}";
    if (chance(60))
      return R"({"ph": "X", "\u0063at": "cpu_op", "name": "escaped key", )" + where + R"(, "ts": 1000001, "dur": 2})";
    const std::string category = one_of(
        std::array<std::string_view, 10>{"cpu_op", "cpu_op", "kernel", "gpu_memcpy", "cuda_runtime", "cuda_driver",
                                         "python_function", "user_annotation", "gpu_user_annotation", "cuda_sync"});
    std::string text = R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name() + "\", " + where + "," + gap();
    text += R"("ts": )" + time() + R"(, "dur": )" + (chance(50) ? "-" : "") + number(60);
    if (!chance(10)) text += "," + gap() + args();
    return text + gap() + "}";
  }

  std::mt19937_64& random_;
  const TextOptions& options_;
  std::size_t now_ = 0;
};

void damage(std::string& text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size());
  const std::size_t size = 1 + below(30);
  switch (below(8)) {
    case 0: text.resize(at); break;
    case 1: text.erase(at, size); break;
    case 2: text.insert(at, text.substr(below(text.size()), size)); break;
    case 3: text.insert(at, "\""); break;
    case 4: text.insert(at, "\n"); break;
    case 5: text.insert(at, R"({"schemaVersion": 1, "traceEvents": [)"); break;
    case 6: text.insert(at, "]}"); break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
  }
}

}  // namespace

std::string random_trace_text(std::mt19937_64& random, const TextOptions& options) {
  std::string text = TextMaker(random, options).document();
  for (std::size_t i = 0; i < options.damages; ++i) damage(text, random);
  return text;
}

}  // namespace hta::test
