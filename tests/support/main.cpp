// The entry points of every test program. Sources of tests do not define BOOST_TEST_MODULE.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <systemc>

namespace {

std::string program_name;

bool name_master_suite() {
  boost::unit_test::framework::master_test_suite().p_name.value = program_name;
  return true;
}

}  // namespace

// Weak, so that a program that brings its own main() still links. libsystemc has a main() too; the program's comes first.
[[gnu::weak]] int main(int argc, char* argv[]) {
  program_name = std::filesystem::path(argv[0]).filename();
  return boost::unit_test::unit_test_main(&name_master_suite, argc, argv);
}

// libsystemc refers to it. Tests elaborate in forked children without it (forked.h).
int sc_main(int, char*[]) { return 1; }
