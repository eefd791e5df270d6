// Request traces (spec 7): columns by name, errors with file and line.
#include "sw/serving/request_trace.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench;
using namespace kernbench::serving;
using kernbench::test::error_of;
using kernbench::test::TemporaryFile;

BOOST_AUTO_TEST_SUITE(request_trace_test)

namespace {

std::vector<Request> read(const std::string& text) {
  return read_request_trace(TemporaryFile("trace.csv", text).path());
}

// Message of the error without the folder of the file.
std::string error(const std::string& text) {
  const TemporaryFile file("trace.csv", text);
  std::string message = error_of<UsageError>([&] { read_request_trace(file.path()); });
  const std::string folder = file.path().substr(0, file.path().size() - 9);
  for (std::size_t at = 0; (at = message.find(folder)) != std::string::npos;)
    message.erase(at, folder.size());
  return message;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_trace_has_arrivals_and_lengths) {
  const auto requests =
      read("arrival_ns,prompt_tokens,output_tokens\n0,16,4\n\n2.5,1,1\r\n2.5,7,9");
  BOOST_TEST(requests.size() == 3U);
  BOOST_TEST(requests[0].prompt_tokens == 16U);
  BOOST_TEST(requests[0].output_tokens == 4U);
  BOOST_TEST(requests[1].arrival == 2'500'000U);
  BOOST_TEST(requests[2].output_tokens == 9U);
}

BOOST_AUTO_TEST_CASE(traces_of_other_simulators_are_accepted) {
  struct Case {
    const char* text;
    Fs arrival;
  };
  for (const Case& c : std::vector<Case>{
           {"input_toks\toutput_toks\tarrival_time_ns\n10\t70\t46926808\n", 46926808 * fs_per_ns},
           {"arrived_at,num_prefill_tokens,num_decode_tokens,request_id\n0.125,10,70,3\n",
            125'000'000 * fs_per_ns},
           {"id,output_tokens,arrival_ms,prompt_tokens\nx,70,1.5,10\n", 1'500'000 * fs_per_ns},
           {"\xef\xbb\xbf"
            "arrival_us,prompt_tokens,output_tokens\n2,10,70\n",
            2000 * fs_per_ns}}) {
    const auto requests = read(c.text);
    BOOST_TEST(requests.size() == 1U);
    BOOST_TEST(requests[0].arrival == c.arrival);
    BOOST_TEST(requests[0].prompt_tokens == 10U);
    BOOST_TEST(requests[0].output_tokens == 70U);
  }
}

BOOST_AUTO_TEST_CASE(faults_of_a_trace_name_file_and_line) {
  const std::string header = "arrival_ns,prompt_tokens,output_tokens\n";
  struct Case {
    std::string text, message;
  };
  for (const Case& c : std::vector<Case>{
           {"", "trace.csv:1: the trace has no requests"},
           {header, "trace.csv:1: the trace has no requests"},
           {"arrival,prompt_tokens,output_tokens\n0,1,1\n",
            "trace.csv:1: the header 'arrival,prompt_tokens,output_tokens' has none of the columns "
            "arrival_ns, arrival_us, arrival_ms, arrival_s, arrival_time_ns, arrived_at"},
           {"arrival_ns,arrival_us,prompt_tokens,output_tokens\n0,0,1,1\n",
            "trace.csv:1: columns arrival_ns and arrival_us have the same meaning; allowed is one "
            "of arrival_ns, arrival_us, arrival_ms, arrival_s, arrival_time_ns, arrived_at"},
           {header + "5,1,1\n4.5,1,1\n",
            "trace.csv:3: arrival at 4.5 ns, before that of the preceding row, 5 ns"},
           {header + "0,1\n", "trace.csv:2: found 2 columns, the header has 3"},
           {header + "x,1,1\n",
            "trace.csv:2: arrival_ns is 'x', allowed is a decimal number from 0, at most 18446 s"},
           {header + "-1,1,1\n",
            "trace.csv:2: arrival_ns is '-1', allowed is a decimal number from 0, at most 18446 s"},
           {header + "1e14,1,1\n",
            "trace.csv:2: arrival_ns is '1e14', allowed is a decimal number from 0, at most 18446 "
            "s"},
           {header + "0,0,1\n",
            "trace.csv:2: prompt_tokens is '0', allowed is an integer, 1 to 16777216"},
           {header + "0,1,-2\n",
            "trace.csv:2: output_tokens is '-2', allowed is an integer, 1 to 16777216"},
           {header + "0,1.5,1\n",
            "trace.csv:2: prompt_tokens is '1.5', allowed is an integer, 1 to 16777216"},
           {header + "0,1,16777217\n",
            "trace.csv:2: output_tokens is '16777217', allowed is an integer, 1 to 16777216"},
           {header + "0,,1\n0,1,1\n0,1,x\n",
            "trace.csv:2: prompt_tokens is '', allowed is an integer, 1 to 16777216\n"
            "trace.csv:4: output_tokens is 'x', allowed is an integer, 1 to 16777216"}}) {
    BOOST_TEST(error(c.text) == c.message);
  }
}

BOOST_AUTO_TEST_CASE(a_trace_that_cannot_be_read_is_an_error) {
  BOOST_TEST(error_of<UsageError>([] { read_request_trace("/nowhere/trace.csv"); }) ==
             "request trace: cannot read /nowhere/trace.csv");
}

BOOST_AUTO_TEST_SUITE_END()
