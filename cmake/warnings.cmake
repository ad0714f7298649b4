# One interface target carries the language rules of all our own code; third-party headers are system headers.
add_library(hta_flags INTERFACE)
target_compile_options(hta_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused -Wnull-dereference -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of overlapping copies in its own std::string (GCC bug 105651), hence no -Wrestrict.
  target_compile_options(hta_flags INTERFACE -Wduplicated-cond -Wlogical-op -Wno-null-dereference -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # RapidJSON's iterators compare in a way that C++20 calls ambiguous.
  target_compile_options(hta_flags INTERFACE -Wno-ambiguous-reversed-operator)
endif()
if(HTA_WERROR)
  target_compile_options(hta_flags INTERFACE -Werror)
endif()
if(HTA_SANITIZE)
  add_compile_options(-fsanitize=${HTA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HTA_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer-ignore.txt)
  endif()
endif()
if(HTA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
