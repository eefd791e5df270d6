// Format of a file of requests, and reports of its faults (spec 10.2).
#include "platform/traffic/traffic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(traffic_file)

namespace {

const std::string good_row = "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n";

struct Tiny : TrafficMachine {
  Tiny() : TrafficMachine("topology.tiny.yaml") {}

  // The text of the UsageError, with the file's name as F; "" if it is accepted.
  std::string faults_of(const std::string& text) {
    const CsvFile csv(text);
    try {
      TrafficFile(csv.path(), *platform).check();
    } catch (const UsageError& error) {
      std::string what = error.what();
      for (std::size_t at = 0; (at = what.find(csv.path())) != what.npos;)
        what.replace(at, csv.path().size(), "F");
      return what;
    }
    return "";
  }
  void check_fault(const std::string& text, const std::vector<std::string>& parts) {
    const std::string faults = faults_of(text);
    BOOST_TEST_CONTEXT(text) {
      for (const std::string& part : parts)
        BOOST_TEST(faults.find(part) != faults.npos, "'" << part << "' is not in: " << faults);
    }
  }
  void check_row(const std::string& row, const std::vector<std::string>& parts) {
    std::vector<std::string> with_line{"F:3: "};
    with_line.insert(with_line.end(), parts.begin(), parts.end());
    check_fault(csv_header + good_row + row + "\n", with_line);
  }
};

}  // namespace

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_row_becomes_a_request, Tiny) {
  const CsvFile csv(csv_header + good_row + "1.5,sip0.io0.pcie_ep,write,sip0.cube0.sram,1e3,17\n" +
                    "1.500001,sip0.cube0.pe1.pe_dma,write,sip0.cube0.pe0.pe_tcm,64,4294967295\n");
  TrafficFile file(csv.path(), *platform);
  BOOST_CHECK_THROW(file.check(), UsageError);  // 1e3 is no integer, 4 GiB no TCM
  const CsvFile better(csv_header + good_row +
                       "1.5,sip0.io0.pcie_ep,write,sip0.cube0.sram,1000,17\n" +
                       "1.500001,sip0.cube0.pe1.pe_dma,write,sip0.cube0.pe0.pe_tcm,64,5\n");
  TrafficFile again(better.path(), *platform);
  BOOST_TEST(again.check() == 3u);
  TrafficRequest request;
  BOOST_TEST_REQUIRE(again.next(request));
  BOOST_TEST(request.id == 0u);
  BOOST_TEST(!request.write);
  BOOST_TEST(request.initiator == node("sip0.cube0.pe0.pe_dma"));
  BOOST_TEST_REQUIRE(again.next(request));
  BOOST_TEST(request.issue == 1'500'000u);
  BOOST_TEST(request.write);
  BOOST_TEST(request.initiator == node("sip0.io0.pcie_ep"));
  BOOST_TEST(request.target == node("sip0.cube0.sram"));
  BOOST_TEST(request.offset == 1000u);
  BOOST_TEST(request.bytes == 17u);
  BOOST_TEST_REQUIRE(again.next(request));
  BOOST_TEST(request.id == 2u);
  BOOST_TEST(request.issue == 1'500'001u);
  BOOST_TEST(request.target == node("sip0.cube0.pe0.pe_tcm"));
  BOOST_TEST(!again.next(request));
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(faulty_rows_are_reported_with_their_lines, Tiny) {
  check_row("-1,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256",
            {"at_ns is '-1'", "0 to 1e12"});
  check_row("soon,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256",
            {"at_ns is 'soon'", "decimal number"});
  check_row(",sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256", {"at_ns is ''"});
  check_row("1e13,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256",
            {"at_ns is '1e13'", "0 to 1e12"});
  check_row(
      "0,sip0.cube0.pe9.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256",
      {"initiator is 'sip0.cube0.pe9.pe_dma'", "not a node of this machine", "a pe_dma or pcie_ep"});
  check_row("0,sip0.cube0.r0c0,read,sip0.cube0.hbm_ctrl.pe0,0,256",
            {"initiator is 'sip0.cube0.r0c0', which cannot be one", "a pe_dma or pcie_ep"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe99,0,256",
            {"target is 'sip0.cube0.hbm_ctrl.pe99'", "not a node of this machine", "hbm_ctrl.peN"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.m_cpu,0,256",
            {"target is 'sip0.cube0.m_cpu', which cannot be one"});
  check_row("0,sip0.cube0.pe0.pe_dma,reed,sip0.cube0.hbm_ctrl.pe0,0,256",
            {"op is 'reed'", "read or write"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,0",
            {"bytes is '0'", "an integer, 1 to 4294967295"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,4294967296",
            {"bytes is '4294967296'"});  // the payload's length has 32 bits
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,2.5", {"bytes is '2.5'"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,-4,256", {"offset is '-4'"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,x,256", {"offset is 'x'"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0, 0,256", {"offset is ' 0'"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0",
            {"found 5 columns, expected 6"});
  check_row("0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256,7",
            {"found 7 columns, expected 6"});
}

// 48 GiB per cube in 8 partitions: 6 GiB. SRAM 32 MiB, TCM 2 MiB.
KERNBENCH_SYSTEMC_FIXTURE_TEST(a_request_must_lie_in_its_memory, Tiny) {
  const std::string dma = "0,sip0.cube0.pe0.pe_dma,read,sip0.cube0.";
  BOOST_TEST(faults_of(csv_header + dma + "hbm_ctrl.pe0,6442450943,1\n") == "");
  BOOST_TEST(faults_of(csv_header + dma + "sram,33554431,1\n") == "");
  BOOST_TEST(faults_of(csv_header + dma + "pe3.pe_tcm,2097151,1\n") == "");
  check_row(dma + "hbm_ctrl.pe0,6442450943,2",
            {"offset 6442450943 + 2 bytes is beyond the end of sip0.cube0.hbm_ctrl.pe0, which has "
             "6442450944 bytes"});
  check_row(dma + "sram,33554432,1", {"which has 33554432 bytes"});
  check_row(dma + "pe3.pe_tcm,0,2097153", {"which has 2097152 bytes"});
  check_row(dma + "hbm_ctrl.pe0,18446744073709551615,1", {"beyond the end"});
  check_row(dma + "hbm_ctrl.pe0,18446744073709551616,1", {"offset is '18446744073709551616'"});
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(rows_ascend, Tiny) {
  const std::string row = ",sip0.cube0.pe0.pe_dma,read,sip0.cube0.hbm_ctrl.pe0,0,256\n";
  BOOST_TEST(faults_of(csv_header + "5" + row + "5" + row + "5.000001" + row) == "");
  check_fault(csv_header + "5" + row + "4.999999" + row,
              {"F:3: at_ns is 4.999999, before the row above it"});
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(the_header_is_required, Tiny) {
  check_fault("", {"F:1: the file is empty", "at_ns,initiator,op,target,offset,bytes"});
  check_fault(csv_header, {"F:1: no requests after the header"});
  check_fault(
      "at_ns,initiator,op,target,bytes\n" + good_row,
      {"F:1: the header must be", "missing: offset", "found 'at_ns,initiator,op,target,bytes'"});
  check_fault(good_row,
              {"F:1: the header must be", "missing: at_ns, initiator, op, target, offset, bytes"});
  check_fault("initiator,at_ns,op,target,offset,bytes\n",
              {"F:1: the header must be", "in this order and nothing else"});
  check_fault("at_ns,initiator,op,target,offset,bytes,note\n",
              {"F:1: the header must be", "in this order and nothing else"});
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(all_faults_are_reported_at_once_up_to_twenty, Tiny) {
  const std::string faults = faults_of(csv_header + "x" + good_row + good_row + "0,y\n");
  BOOST_TEST(faults.find("F:2: at_ns") != faults.npos, faults);
  BOOST_TEST(faults.find("\nF:4: found 2 columns") != faults.npos, faults);
  std::string many = csv_header;
  for (int i = 0; i < 30; ++i) many += "x" + good_row;
  const std::string first = faults_of(many);
  BOOST_TEST(first.find("F:21: ") != first.npos, first);
  BOOST_TEST(first.find("F:22: ") == first.npos, first);
  BOOST_TEST(first.find("further faults are not listed") != first.npos, first);
}

// Files from Windows; a last line without its end; blank lines count as lines.
KERNBENCH_SYSTEMC_FIXTURE_TEST(line_ends_and_blank_lines_do_not_matter, Tiny) {
  const std::string row = good_row.substr(0, good_row.size() - 1);
  BOOST_TEST(faults_of(csv_header.substr(0, csv_header.size() - 1) + "\r\n" + row + "\r\n\r\n" +
                       row) == "");
  check_fault(csv_header + "\n" + row + "\r\n\r\nx" + row + "\r\n", {"F:5: at_ns is 'x0'"});
}

// It is read twice: check, then play.
KERNBENCH_SYSTEMC_FIXTURE_TEST(what_cannot_be_read_twice_is_refused, Tiny) {
  const auto refused = [this](const std::string& path) {
    try {
      TrafficFile(path, *platform);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BOOST_TEST(refused("-").find("read twice") != std::string::npos);
  BOOST_TEST(refused("/dev/stdin").find("read twice") != std::string::npos);
  BOOST_TEST(refused("/tmp").find("regular file") != std::string::npos);
  BOOST_TEST(refused("/nowhere/at_all.csv").find("cannot read /nowhere/at_all.csv") !=
             std::string::npos);
  CsvFile place("");
  ::unlink(place.path().c_str());
  BOOST_TEST_REQUIRE(::mkfifo(place.path().c_str(), 0600) == 0);
  BOOST_TEST(refused(place.path()).find("not a pipe") != std::string::npos);
}

KERNBENCH_SYSTEMC_FIXTURE_TEST(a_file_that_changes_after_the_check_is_reported_with_its_line,
                               Tiny) {
  const CsvFile csv(csv_header + good_row + good_row);
  TrafficFile file(csv.path(), *platform);
  file.check();
  std::ofstream(csv.path()) << csv_header << "x" << good_row;
  TrafficFile changed(csv.path(), *platform);
  TrafficRequest request;
  BOOST_CHECK_EXCEPTION(changed.next(request), UsageError,
                        with_text<UsageError>(":2: at_ns is 'x0'"));
}

BOOST_AUTO_TEST_SUITE_END()
