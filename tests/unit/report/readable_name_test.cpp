#include "hta/report/render.h"

#include <catch2/catch.hpp>

using hta::report::readable_kernel_name;

TEST_CASE("readable names: mangling, return type and argument lists go") {
  CHECK(readable_kernel_name("_Z4gemmPfS_i") == "gemm");
  CHECK(readable_kernel_name("void at::native::(anonymous namespace)::fill<float, (g)3>(int, h<(k)1>)") ==
        "fill<float, (g)3>");
  CHECK(readable_kernel_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
}

TEST_CASE("readable names: of a lambda in an operator the operator stays") {
  CHECK(readable_kernel_name(
            "void at::native::vectorized_elementwise_kernel<4, "
            "at::native::sqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
            "const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int, at::detail::Array<char*, 2>)") ==
        "vectorized_elementwise_kernel<4, sqrt_kernel_cuda>");
  CHECK(readable_kernel_name("reduce<sum_functor<float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>") ==
        "reduce<sum_functor<float>>");
}

TEST_CASE("readable names: how operands are read is left out") {
  CHECK(readable_kernel_name(
            "void unrolled<Mul<float>, at::detail::Array<char*, 2>, TrivialOffsetCalculator<1, unsigned "
            "int>, at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithoutCast, true>(int)") ==
        "unrolled<Mul<float>, true>");
}

TEST_CASE("readable names: what is no C++ name stays") {
  for (const std::string name :
       {"aten::mm", "Memcpy DtoD (Device -> Device)", "Memset (Device)", "ProfilerStep#7", "triton_poi_fused_add_0",
        "_Znot_mangled", "a < b", "unclosed(", ")", "", "(", "::{lambda"})
    CHECK(readable_kernel_name(name) == name);
}

TEST_CASE("readable names: a namespace is dropped only where it is one") {
  CHECK(readable_kernel_name("format::f<c10::Half, my::at::native::T>") == "format::f<Half, my::at::native::T>");
}
