#include "main.h"

int main(int argc, char** argv) {
  return hta::cli::run(argc, argv);
}
