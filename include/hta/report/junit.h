#pragma once

#include "hta/result/document.h"

#include <string>

namespace hta::report {

/// The gates of a document as JUnit XML, one test case each: failed ones are failures, undecided ones errors.
std::string junit(const result::Document& document);

}  // namespace hta::report
