// The tables of calls in sw/README.md against the headers, and the means of that: a row for every
// public member, a member for every row.
#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/docs/public_calls.h"
#include "tests/support/temporary_folder.h"

using namespace kernbench::docs;
using kernbench::test::source_text;

BOOST_AUTO_TEST_SUITE(call_tables_test)

namespace {

using Names = std::vector<std::string>;

// Those that programs use, by header.
const std::map<std::string, Names> host_classes{
    {"sw/torch/torch.h", {"Torch"}},
    {"sw/runtime/tensor.h", {"Tensor"}},
    {"sw/runtime/tensor_slice.h", {"TensorSlice", "AxisRange"}},
    {"sw/runtime/host_array.h", {"HostArray"}},
    {"sw/runtime/dp_policy.h", {"DPPolicy", "Placement"}},
    {"sw/runtime/launch.h", {"LaunchSpec", "LaunchHandle", "LaunchMetrics"}},
    {"sw/runtime/result_table.h", {"ResultTable"}},
    {"sw/runtime/deferred_counter.h", {"DeferredCounter"}},
    {"sw/runtime/ipcq.h", {"IpcqRing"}},
    {"models/protocol/ipcq.h", {"IpcqSettings"}},
    {"sw/collectives/neighbour_graph.h", {"NeighbourGraph"}},
    {"sw/collectives/shipped_graphs.h", {"graphs"}},
    {"sw/distributed/distributed.h", {"Distributed"}},
    {"sw/distributed/group.h", {"Group"}},
    {"sw/distributed/collective_record.h", {"Work"}},
    {"sw/distributed/multiprocessing.h", {"Multiprocessing"}}};

std::set<std::string> host_calls() {
  std::set<std::string> calls;
  for (const auto& [header, classes] : host_classes) {
    const std::set<std::string> of_header = public_calls(source_text(header));
    for (const std::string& type : classes) {
      const std::size_t before = calls.size();
      for (const std::string& call : of_header) {
        if (call.compare(0, type.size() + 2, type + "::") == 0) calls.insert(call);
      }
      BOOST_TEST(calls.size() > before, header << " has no " << type);
    }
  }
  return calls;
}

void check_table(const std::string& heading, const std::set<std::string>& calls) {
  const std::set<std::string> listed = listed_calls(source_text("sw/README.md"), heading);
  for (const std::string& difference : differences_of_calls(calls, listed))
    BOOST_TEST(false, "sw/README.md, " + heading + ": " + difference);
}

void check_names(const std::string& header, const std::set<std::string>& expected) {
  BOOST_TEST(public_calls(header) == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_host_call_is_in_the_table_of_the_guide_and_every_row_is_a_call) {
  const std::set<std::string> calls = host_calls();
  BOOST_TEST(calls.size() > 150U);
  check_table("## 7. Every host call", calls);
}

BOOST_AUTO_TEST_CASE(every_call_of_a_kernel_is_in_the_table_of_operations_and_every_row_is_a_call) {
  const std::map<std::string, std::string> classes{{"program.h", "tl::Program::"},
                                                   {"math_calls.h", "tl::MathCalls::"},
                                                   {"shape_calls.h", "tl::ShapeCalls::"},
                                                   {"atomic_calls.h", "tl::AtomicCalls::"}};
  std::set<std::string> calls;
  for (const auto& [header, prefix] : classes) {
    const std::size_t before = calls.size();
    for (const std::string& call : public_calls(source_text("sw/tl/" + header))) {
      if (call.compare(0, prefix.size(), prefix) == 0) calls.insert(call.substr(prefix.size()));
    }
    BOOST_TEST(calls.size() > before, header << " has no " << prefix);
  }
  // Calls of the rows, which math_calls.h expands.
#define MATH_OP(...)
#define ELEMENT_WISE(name, ...) calls.insert(#name);
#include "models/base/math_op.def"
  BOOST_TEST(calls.size() > 100U);
  check_table("### Operations", calls);
}

// --- The means

BOOST_AUTO_TEST_CASE(public_members_are_those_of_open_sections) {
  check_names(R"(
#define NOT_CODE f();
#define NOT_CODE_EITHER \
  void g();
namespace kernbench {
class A : public Base<int, 2> {
 public:
  explicit A(int x) : x_(x), y_{1} {}
  ~A();
  A& operator=(const A&) = delete;
  int size() const { return f(";{"); }  // not_this();
  static std::map<int, std::vector<A>> all(int n = g(1), char c = ')');
  template <class T, class U = int>
  void put(const T& t) { if (t) { x_ = 1; } }
  [[nodiscard]] bool ok() const;
  using Type = int;
  enum class Kind { one, two };
  friend bool operator==(const A& a, const A& b) { return true; }
  class Inner {
   public:
    void call();
   private:
    void hidden();
  };
  Inner first, second;
  static const A zero, one;

 protected:
  void inherited();

 private:
  struct Secret { int field; };
  int x_ = 0, y_;
};
}
)",
              {"A::size", "A::all", "A::put", "A::ok", "A::Inner::call", "A::first", "A::second",
               "A::zero", "A::one"});
}

BOOST_AUTO_TEST_CASE(structures_are_open_and_functions_belong_to_namespaces) {
  check_names(R"(
namespace kernbench::graphs {
inline constexpr int constant = 1;
struct Box { double x = 0, y = 0; std::vector<int> list{1, 2}; void draw(); };
Box ring(int sip, const std::vector<int>& cubes = {0});
namespace detail { void hidden(); }
namespace { void local(); }
}
void outside();
)",
              {"graphs::Box::x", "graphs::Box::y", "graphs::Box::list", "graphs::Box::draw",
               "graphs::ring", "outside"});
}

BOOST_AUTO_TEST_CASE(rows_are_taken_from_below_their_heading) {
  const std::string page =
      "| `no` | x |\n## Calls\n\n| call | does |\n|---|---|\n| `a(b)`, `c` | not `d` |\n### "
      "More\n| `e` "
      "| |\n```text\n| `f` | |\n```\n## Others\n| `g` | |\n";
  BOOST_TEST(listed_calls(page, "## Calls") == (std::set<std::string>{"a", "c", "e"}),
             boost::test_tools::per_element());
  BOOST_TEST(differences_of_calls({"a", "b"}, {"a", "c"}) == (Names{"no c", "lacks b"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
