// main() of every test program; sources of tests do not define BOOST_TEST_MODULE. sc_main is in
// forked.cpp.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

namespace {

std::string program_name;

bool name_master_suite() {
  boost::unit_test::framework::master_test_suite().p_name.value = program_name;
  return true;
}

}  // namespace

// Weak, so that a program that brings its own main() still links. libsystemc has a main() too; the
// program's comes first.
[[gnu::weak]] int main(int argc, char* argv[]) {
  // The same samples in every run, a quarter of those of ./kernbench test --all.
  ::setenv("RC_PARAMS", "seed=1 max_success=25", 0);
  program_name = std::filesystem::path(argv[0]).filename();
  return boost::unit_test::unit_test_main(&name_master_suite, argc, argv);
}
