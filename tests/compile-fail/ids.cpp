#include "hta/base/ids.h"

int main() {
  const hta::StringId name{1};
#if HTA_MISTAKE == 1  // error: conversion
  const hta::ThreadId thread = name;
#elif HTA_MISTAKE == 2
  return name == hta::ThreadId{1};
#endif
  return static_cast<int>(name.value());
}
