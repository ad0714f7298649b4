# Makes a C++ source that holds the text of a file:
#   cmake -D INPUT=file -D OUTPUT=source.cpp -D NAME=kName -D HEADER=header.h -P embed_text.cmake
# No INPUT: the text is empty. The header declares `extern const Asset NAME`.
set(text "")
if(INPUT)
  file(READ "${INPUT}" text)
  string(FIND "${text}" "\r" carriage_return)
  string(FIND "${text}" ")embedded\"" end_of_literal)
  if(NOT carriage_return EQUAL -1 OR NOT end_of_literal EQUAL -1)
    message(FATAL_ERROR "${INPUT}: a carriage return, or the end of the literal that shall hold it")
  endif()
  string(TOLOWER "${text}" lower)
  string(FIND "${lower}" "</script" end_of_script)
  if(INPUT MATCHES "\\.js$" AND NOT end_of_script EQUAL -1)
    message(FATAL_ERROR "${INPUT}: ends the script element that shall hold it")
  endif()
endif()
string(SHA256 sum "${text}")
file(WRITE "${OUTPUT}"
"#include \"${HEADER}\"
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace hta::report::page {
const Asset ${NAME}{R\"embedded(${text})embedded\", \"${sum}\"};
}  // namespace hta::report::page
")
