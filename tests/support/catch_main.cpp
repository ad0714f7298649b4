// The one main() of all Catch2 executables, so that the slow part of the header is compiled once.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
