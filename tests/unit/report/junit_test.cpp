#include "hta/report/junit.h"

#include <catch2/catch.hpp>

using namespace hta;

TEST_CASE("junit: failed gates are failures, undecided ones errors, the rest pass, and markup is escaped") {
  result::Document document;
  document.command = "check";
  document.gates = {{"kernel:a<b>&\"c\">5%", result::GateOutcome::kFail, "1 \x01 'x'", "because"},
                    {"idle>1%", result::GateOutcome::kInsufficient, "not decided", ""},
                    {"compute>1%", result::GateOutcome::kPass, "fine", ""},
                    {"step_time>1%", result::GateOutcome::kNoise, "noise", ""}};
  CHECK(report::junit(document) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"hta check\" tests=\"4\" failures=\"1\" errors=\"1\">\n"
        "  <testsuite name=\"hta check\" tests=\"4\" failures=\"1\" errors=\"1\">\n"
        "    <testcase classname=\"hta.check\" name=\"kernel:a&lt;b&gt;&amp;&quot;c&quot;&gt;5%\">\n"
        "      <failure message=\"1 \xEF\xBF\xBD &apos;x&apos;\">1 \xEF\xBF\xBD &apos;x&apos; Why it is there: "
        "because</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hta.check\" name=\"idle&gt;1%\">\n"
        "      <error message=\"not decided\">not decided</error>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hta.check\" name=\"compute&gt;1%\">\n"
        "      <system-out>fine</system-out>\n"
        "    </testcase>\n"
        "    <testcase classname=\"hta.check\" name=\"step_time&gt;1%\">\n"
        "      <system-out>noise</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}
