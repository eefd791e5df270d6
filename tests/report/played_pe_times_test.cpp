// Time of kernels on their PEs by the events of a log.

#include <SQLiteCpp/Database.h>

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "platform/report/pe_times.h"
#include "tests/report/hand_made_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(played_pe_times_test)

namespace {

using Reason = KernelWait::Reason;
using CommandKind = KernelWait::CommandKind;

const std::string pe0 = "sip0.cube0.pe0", pe1 = "sip0.cube0.pe1";
constexpr Fs ns = fs_per_ns;

}  // namespace

// On PE 0 kernel a from 10 to 30, then b from 30 to 50; on PE 1 a from 12, 2 late, to 32, and its
// engines until 36. Waits at the ends of a run belong to the one in which they lie.
BOOST_AUTO_TEST_CASE(rows_belong_to_the_run_in_which_they_lie) {
  HandMadeLog log;
  log.progress.runs = {{"1", pe0, "a", 10 * ns, 30 * ns, 30 * ns, 10 * ns},
                       {"1", pe1, "a", 12 * ns, 32 * ns, 36 * ns, 10 * ns},
                       {"2", pe0, "b", 30 * ns, 50 * ns, 50 * ns, 30 * ns}};
  log.progress.waits = {{pe0, Reason::command, 1, 10 * ns, 15 * ns, CommandKind::dma},
                        {pe0, Reason::command, 2, 20 * ns, 30 * ns, CommandKind::gemm},
                        {pe1, Reason::receive, {}, 12 * ns, 13 * ns},
                        {pe0, Reason::command, 3, 30 * ns, 37 * ns, CommandKind::composite},
                        {pe0, Reason::send, {}, 40 * ns, 42 * ns},
                        {pe1, Reason::receive, {}, 60 * ns, 70 * ns}};  // of a kernel in progress
  log.progress.slot_waits = {{pe0, OpKind::gemm, 21 * ns, 24 * ns},
                             {pe0, OpKind::math, 31 * ns, 35 * ns}};
  const Played<PeTimes> played(log.write());
  const std::vector<KernelPeTime>& times = played.report.kernels();
  BOOST_TEST_REQUIRE(times.size() == 2U);
  const PeTime &a = times[0].time, &b = times[1].time;
  BOOST_TEST(times[0].kernel == "a");
  BOOST_TEST(a.runs() == 2U);
  BOOST_TEST(a.total() == (20 + 26) * ns);
  BOOST_TEST(a.of(PeTimePart::dma) == 5 * ns);
  BOOST_TEST(a.of(PeTimePart::gemm) == 10 * ns);
  BOOST_TEST(a.of(PeTimePart::receive) == 1 * ns);
  BOOST_TEST(a.of(PeTimePart::late_start) == 2 * ns);
  BOOST_TEST(a.of(PeTimePart::draining) == 4 * ns);
  BOOST_TEST(a.of(PeTimePart::running) == (5 + 19) * ns);
  BOOST_TEST(a.gemm_for_slot() == 3 * ns);
  BOOST_TEST(b.of(PeTimePart::composite) == 7 * ns);
  BOOST_TEST(b.of(PeTimePart::send) == 2 * ns);
  BOOST_TEST(b.of(PeTimePart::running) == 11 * ns);
  BOOST_TEST(b.math_for_slot() == 4 * ns);
}

BOOST_AUTO_TEST_CASE(a_wait_of_another_kind_is_refused) {
  HandMadeLog log;
  log.launch("k", 0, 10, {pe0}, 1, 9);
  log.awaited_command(pe0, 1, 2, 3, 8);
  const std::string path = log.write();
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec("UPDATE waits SET command_kind = 'copy'");
  BOOST_CHECK_EXCEPTION(Played<PeTimes>{path}, UsageError, [&](const UsageError& error) {
    return std::string(error.what()) ==
           "'" + path +
               "' has 'copy' in column 'command_kind' of table 'waits'; allowed: none, dma, gemm, "
               "math, composite";
  });
}

BOOST_AUTO_TEST_SUITE_END()
