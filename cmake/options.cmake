option(HTA_BUILD_TESTS "Build the tests and the trace generator" ON)
option(HTA_WERROR "Treat warnings as errors" OFF)
option(HTA_USE_ISAL "Inflate with ISA-L where it is found (2-3 times faster than zlib)" ON)
option(HTA_STATIC_DEPS "Link the C++ runtime, zlib, ISA-L and fmt statically (faster process start)" ON)
option(HTA_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(HTA_SANITIZE "" CACHE STRING "Sanitizers for all targets, e.g. address,undefined or thread")

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")  # -O3 makes nothing here faster

find_program(HTA_CCACHE ccache)
if(HTA_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HTA_CCACHE})
endif()
