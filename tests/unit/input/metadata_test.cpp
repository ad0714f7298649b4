#include "metadata.h"

#include <catch2/catch.hpp>

namespace hta::input {

TEST_CASE("metadata: rank, devices, versions, flags and base time") {
  TraceInfo info;
  CHECK(read_metadata("distributedInfo", R"({"backend": "nccl", "rank": 3, "world_size": 8, "nccl_version": "2.21.5",
      "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 8, "ranks": [0, 1]}]})",
                      info) == MetadataOutcome::kRead);
  CHECK(info.rank == 3);
  CHECK(info.world_size == 8);
  CHECK(info.backend == "nccl");
  read_metadata(
      "deviceProperties",
      R"([{"id": 0, "name": "H100", "totalGlobalMem": 85017624576, "computeMajor": 9, "computeMinor": 0, "numSms": 132}])",
      info);
  REQUIRE(info.devices.size() == 1);
  CHECK(info.devices[0].compute_capability == "9.0");
  read_metadata("cuda_runtime_version", "12040", info);
  CHECK(info.versions["cuda_runtime_version"] == "12040");
  read_metadata("with_stack", "1", info);
  CHECK(info.capture_flags["with_stack"]);
  read_metadata("baseTimeNanoseconds", "1722945600000000000", info);
  CHECK(info.base_time_ns == 1'722'945'600'000'000'000);
}

TEST_CASE("metadata: bare words count as missing and cost nothing else") {
  TraceInfo info;
  CHECK(read_metadata("distributedInfo", R"({"backend": N/A, "rank": 0, "world_size": 1})", info) ==
        MetadataOutcome::kRepaired);
  CHECK(info.rank == 0);
  CHECK(info.world_size == 1);
  CHECK(info.backend.empty());
}

TEST_CASE("metadata: nonsense is refused and does no harm") {
  TraceInfo info;
  CHECK(read_metadata("distributedInfo", R"({"rank": )", info) == MetadataOutcome::kUnreadable);
  CHECK(read_metadata("distributedInfo", R"({"rank": 1e300, "world_size": "x", "pg_config": 5})", info) ==
        MetadataOutcome::kRead);
  CHECK_FALSE(info.rank);
  CHECK_FALSE(info.world_size);
  CHECK(read_metadata("x", std::string(1'000'000, '[') + std::string(1'000'000, ']'), info) == MetadataOutcome::kRead);
}

}  // namespace hta::input
