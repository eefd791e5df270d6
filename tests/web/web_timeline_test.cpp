// Timeline of a log whose operations are not yet read (spec 11.5).
#include <boost/test/unit_test.hpp>
#include <future>
#include <set>

#include "platform/assembly/builtin_components.h"
#include "platform/topology/load_machine.h"
#include "platform/web/logged_run.h"
#include "tests/cli/program.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_timeline_test)

BOOST_AUTO_TEST_CASE(a_timeline_is_complete_when_the_operations_have_been_read) {
  const TemporaryFolder folder;
  const std::string log = folder.file("run.sqlite");
  completed({"run", "--bench", "matmul-composite", "--topology", "tiny", "--op-log", log});
  ComponentRegistry registry;
  register_builtin_components(registry);
  MachineSpec spec = load_machine(log + ".config.yaml", {}, registry);
  spec.source_path.clear();
  const ServedMachine machine("tiny", "", std::move(spec), registry);
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  LoggedRun run("run", log, machine,
                [&](const std::string& path, const std::vector<LaunchRow>& launches) {
                  opened.wait();
                  return LoggedRun::read_bars(path, launches);
                });
  const auto kinds_of = [](const auto& timeline) {
    std::set<std::string> kinds;
    for (const auto& lane : timeline["lanes"])
      kinds.insert(lane["kind"].template get<std::string>());
    return kinds;
  };
  for (const std::uint64_t wait_ms : {0U, 1U}) {
    const auto partial = run.timeline("sip0.cube0.pe0", {}, 100, wait_ms);
    BOOST_TEST(partial["complete"] == false);
    const std::set<std::string> expected{"kernel", "launch", "stall"};
    BOOST_TEST((kinds_of(partial) == expected));
  }
  gate.set_value();
  const auto whole = run.timeline("sip0.cube0.pe0", {}, 100, 600'000);
  BOOST_TEST(whole["complete"] == true);
  BOOST_TEST(kinds_of(whole).count("engine") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
