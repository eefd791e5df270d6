// sc_main, which SystemC's library needs at link time, for programs that do not simulate. A
// program's own sc_main overrides it.
#include <cstdio>

[[gnu::weak]] int sc_main(int /*argc*/, char* /*argv*/[]) {
  std::fputs("this program has neither main() nor sc_main()\n", stderr);
  return 2;
}
