#include "bandwidth.h"

#include "hta/base/exact.h"

#include <algorithm>

namespace hta::analysis::comm {

std::optional<Volume> volume_of(const Collective& c, const Signature& signature, const Group& group) {
  const std::int64_t size = element_bytes(signature.dtype);
  if (signature.kind == "barrier") return Volume{};
  if (size == 0 || (c.in_elements < 0 && c.out_elements < 0)) return std::nullopt;
  const std::int64_t in = std::max<std::int64_t>(0, c.in_elements) * size;
  const std::int64_t out = std::max<std::int64_t>(0, c.out_elements) * size;
  const std::int64_t n = group.size;
  // Of n equal shares a rank keeps its own.
  const auto without_own = [n](std::int64_t bytes) { return n > 0 ? divide_half_even(Int128{bytes} * (n - 1), n) : 0; };
  if (signature.kind == "all_reduce") return Volume{in, n > 0 ? divide_half_even(Int128{in} * 2 * (n - 1), n) : 0};
  if (signature.kind == "all_gather") return Volume{out, without_own(out)};
  if (signature.kind == "reduce_scatter") return Volume{in, without_own(in)};
  if (signature.kind == "all_to_all") {
    if (c.uneven_elements >= 0) return Volume{std::max(in, out), c.uneven_elements * size};
    return Volume{std::max(in, out), without_own(std::max(in, out))};
  }
  if (signature.kind == "gather" || signature.kind == "scatter")
    return Volume{std::max(in, out), without_own(std::max(in, out))};
  return Volume{std::max(in, out), std::max(in, out)};
}

std::optional<std::int64_t> rate_of(Int128 bytes, Int128 time_ns) {
  if (time_ns <= 0) return std::nullopt;
  return divide_half_even(bytes * 1'000'000, time_ns);
}

}  // namespace hta::analysis::comm
