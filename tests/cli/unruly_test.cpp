// Kernels and benches that misbehave: the run, or the process, ends within its limits with status 1
// and a message that names the PE, the program and its last call; files that have been written can
// be read (spec 4.2, 4.4).
#include <sqlite3.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/support/vcd_reader.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(unruly)

namespace {

enum class Ends { process, run };  // a run writes all of its files

struct Fault {
  std::string name, text;
  Ends ends = Ends::process;
};

const std::vector<Fault> faults{
    {"null_dereference", "has accessed the invalid address 0x0 (SIGSEGV)"},
    {"recursion", " bytes (stack overflow"},
    {"divide_by_zero", "has divided an integer by zero (SIGFPE)"},
    {"illegal_instruction", "has run into an illegal instruction (SIGILL)"},
    {"bus_error", "(SIGBUS)"},
    {"exit", "has called exit(0)"},
    {"_exit", "has called _exit(0)"},
    {"_Exit", "has called _Exit(0)"},
    {"quick_exit", "has called quick_exit(0)"},
    {"abort", "has called abort() (SIGABRT)"},
    {"free_twice", "was aborted (SIGABRT) by a check of the C library"},
    {"terminate", "has called std::terminate(), without an exception"},
    {"rethrow_of_nothing", "has called std::terminate(), without an exception"},
    {"throw_through_noexcept",
     "has ended in std::terminate(), by the exception 'thrown out of noexcept'"},
    {"pthread_exit", "was aborted (SIGABRT) by a check of the C library"},
    {"bad_alloc", "out of memory: the host refuses an allocation", Ends::run},
    {"throw_of_a_number", "an exception that is not a std::exception (of type int)", Ends::run},
    {"throw_of_a_text", "an exception that is not a std::exception ('text')", Ends::run},
    {"throw_of_a_class", "OwnClass)", Ends::run},
    {"sc_stop", "has called sc_stop()", Ends::run},
};

// The sanitizers end the process themselves at these.
bool belongs_to_the_sanitizers(const std::string& fault) {
#ifdef __SANITIZE_ADDRESS__
  return fault == "null_dereference" || fault == "recursion" || fault == "divide_by_zero" ||
         fault == "free_twice" || fault == "bad_alloc";
#else
  static_cast<void>(fault);
  return false;
#endif
}

// 0 if the file is no log.
int row_count(const std::string& path) {
  sqlite3* database = nullptr;
  std::string text;
  const auto keep = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) = values[0];
    return 0;
  };
  if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK)
    sqlite3_exec(database, "SELECT COUNT(*) FROM listed", keep, &text, nullptr);
  sqlite3_close(database);
  return text.empty() ? 0 : std::stoi(text);
}

// A run of the bench that writes every kind of file.
struct UncheckedRun {
  explicit UncheckedRun(const Words& more, const std::string& op_log_name, const Signal& signal)
      : op_log(op_log_name) {
    Words words{"run",
                "--bench",
                "unruly",
                "--topology",
                "tiny",
                "--stats",
                folder.file("stats.json"),
                "--trace",
                folder.file("wave.vcd"),
                "--op-log",
                folder.file(op_log),
                "--trace-requests",
                folder.file("requests.jsonl"),
                "--op-log-limit",
                op_log_name == "ops.csv" ? "1000" : "1",
                "--max-deltas",
                "0"};
    words.insert(words.end(), more.begin(), more.end());
    result = kernbench_program(words, signal, nullptr, KERNBENCH_UNRULY_PROGRAM);
  }
  void check_files() const {
    if (op_log == "ops.csv") {
      check_csv(folder.read(op_log));
    } else {
      BOOST_TEST(row_count(folder.file(op_log)) >= 4);
    }
    BOOST_TEST(nlohmann::json::parse(folder.read("stats.json")).at("components").size() > 50u);
    BOOST_TEST(read_vcd(folder.read("wave.vcd")).timestamps > 1U);
    check_requests();
  }
  // What is written at the end of a run is empty; a log in SQLite has the four loads of kernel
  // 'calm', written when those of the next kernel did not fit into memory.
  void check_files_of_an_ended_process() const {
    if (op_log == "ops.csv") {
      BOOST_TEST(is_empty(op_log));
    } else {
      BOOST_TEST(row_count(folder.file(op_log)) == 4);
    }
    BOOST_TEST(is_empty("stats.json"));
    BOOST_TEST(is_empty("wave.vcd"));
    BOOST_TEST(folder.read("stats.json.config.yaml") != "");
    check_requests();
  }
  void check_files_after(Ends ends) const {
    ends == Ends::run ? check_files() : check_files_of_an_ended_process();
  }
  bool is_empty(const std::string& file) const {
    return folder.has(file) && folder.read(file).empty();
  }
  // The first columns have no commas of their own: kernels of four PEs have loaded.
  static void check_csv(const std::string& csv) {
    BOOST_TEST(std::count(csv.begin(), csv.end(), '\n') > 4);
    BOOST_TEST(csv.back() == '\n');
  }
  void check_requests() const {
    const std::string text = folder.read("requests.jsonl");
    BOOST_TEST_REQUIRE(!text.empty());
    BOOST_TEST(text.back() == '\n');
    std::istringstream requests(text);
    int lines = 0;
    for (std::string line; std::getline(requests, line); ++lines)
      BOOST_CHECK_NO_THROW(nlohmann::json::parse(line));
    BOOST_TEST(lines > 4);
  }

  const std::string op_log;
  TemporaryFolder folder;
  ProgramResult result;
};

struct Run : UncheckedRun {
  explicit Run(const Words& more, const std::string& op_log_name = "ops.csv",
               const Signal& signal = {}, Ends ends = Ends::run)
      : UncheckedRun(more, op_log_name, signal) {
    check_files_after(ends);
  }
};

// Result of a faulty run that --max-wall ends.
ProgramResult run_to_the_wall_limit(const Words& words, Ends ends,
                                    const std::string& op_log = "ops.csv") {
  for (double max_wall_s = 0.5;; max_wall_s *= 4) {
    const UncheckedRun run(joined(words, {"--max-wall", std::to_string(max_wall_s)}), op_log,
                           {0, {}, 1, " begins\n"});
    if (!reached_in_time(run.result, max_wall_s)) continue;
    run.check_files_after(ends);
    return run.result;
  }
}

// What lets no simulated time pass: code that does not return ends with the process, the rest with
// the run.
struct Endless {
  std::string name;
  Ends ends;
  std::string call = "ref";
};
const std::vector<Endless> endless{
    {"endless_loop", Ends::process},   {"endless_allocation", Ends::process},
    {"sleep", Ends::process},          {"delta_loop", Ends::run},
    {"cycles_0", Ends::run, "cycles"}, {"identity", Ends::process, "program_id"}};

Words of_kernel(const std::string& fault, const Words& more = {}) {
  Words words{"--param", "kernel=" + fault};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

constexpr double soon_s = 8;  // CPU time

}  // namespace

BOOST_AUTO_TEST_CASE(the_bench_is_fine_if_it_behaves) {
  BOOST_TEST(Run({}).result.status == 0);
  BOOST_TEST(Run(of_kernel("pauses")).result.status == 0);
}

BOOST_AUTO_TEST_CASE(a_fault_in_a_kernel_ends_with_status_1_and_names_pe_kernel_and_call) {
  for (const Fault& fault : faults) {
    if (belongs_to_the_sanitizers(fault.name)) continue;
    BOOST_TEST_CONTEXT(fault.name) {
      const std::string op_log = fault.name == "null_dereference" ? "ops.sqlite" : "ops.csv";
      const Run run(of_kernel(fault.name), op_log, {}, fault.ends);
      BOOST_TEST(run.result.status == 1);
      check_contains(run.result.err, {"kernbench: error: ", "sip0.cube0.pe2.pe_cpu at ",
                                      " ns: kernel 'wild'", fault.text, "; last call: tl.ref"});
    }
  }
}

BOOST_AUTO_TEST_CASE(a_fault_in_a_bench_names_it_and_its_call) {
  for (const Fault& fault : faults) {
    if (belongs_to_the_sanitizers(fault.name)) continue;
    BOOST_TEST_CONTEXT(fault.name) {
      const Run run({"--param", "host=" + fault.name}, "ops.csv", {}, fault.ends);
      BOOST_TEST(run.result.status == 1);
      check_contains(run.result.err, {"kernbench: error: host.program at ", " ns: bench 'unruly'",
                                      fault.text, "; last call: torch.launch"});
    }
  }
}

BOOST_AUTO_TEST_CASE(what_never_ends_ends_at_the_wall_limit) {
  for (const Endless& each : endless) {
    BOOST_TEST_CONTEXT(each.name) {
      const ProgramResult result = run_to_the_wall_limit(
          of_kernel(each.name), each.ends, each.name == "endless_loop" ? "ops.sqlite" : "ops.csv");
      BOOST_TEST(result.status == 1);
      check_contains(
          result.err,
          {each.ends == Ends::process ? "kernbench: error: stopped by --max-wall: "
                                      : " of simulated time by --max-wall: ",
           "sip0.cube0.pe2.pe_cpu at ",
           " ns: kernel 'wild' lets no simulated time pass; last call: tl." + each.call});
    }
  }
  for (const Endless& each : endless) {
    if (each.call != "ref") continue;  // calls of a kernel
    BOOST_TEST_CONTEXT("host: " << each.name) {
      const ProgramResult result =
          run_to_the_wall_limit({"--param", "host=" + each.name}, each.ends);
      BOOST_TEST(result.status == 1);
      check_contains(result.err,
                     {"by --max-wall: host.program at ",
                      " ns: bench 'unruly' lets no simulated time pass; last call: torch.launch"});
    }
  }
}

BOOST_AUTO_TEST_CASE(the_first_signal_ends_what_never_ends) {
  for (const int signal : {SIGTERM, SIGINT}) {
    for (const Endless& each : endless) {
      if (each.name != "endless_loop" && each.name != "delta_loop" && each.name != "cycles_0")
        continue;
      BOOST_TEST_CONTEXT(each.name << " and signal " << signal) {
        const Run run(of_kernel(each.name), signal == SIGINT ? "ops.sqlite" : "ops.csv",
                      {signal, {}, 1, "wild"}, each.ends);
        BOOST_TEST(run.result.status == 1);
        BOOST_TEST(run.result.cpu_after_signal_s < soon_s);
        check_contains(
            run.result.err,
            {each.ends == Ends::process ? "kernbench: error: interrupted: "
                                        : "kernbench: interrupted at ",
             "sip0.cube0.pe2.pe_cpu at ", " ns: kernel 'wild' lets no simulated time pass"});
      }
    }
  }
}

// Simulated time passes: all programs that run are named, whatever they do with exceptions.
BOOST_AUTO_TEST_CASE(a_run_that_goes_on_until_the_wall_limit_names_the_programs_that_run) {
  for (const std::string fault : {"cycles_1", "swallow"}) {
    BOOST_TEST_CONTEXT(fault) {
      const ProgramResult result = run_to_the_wall_limit(of_kernel(fault), Ends::run);
      BOOST_TEST(result.status == 1);
      check_contains(result.err,
                     {" of simulated time by --max-wall\n",
                      "\n  host runs bench 'unruly'; last call: torch.launch",
                      "\n  sip0.cube0.pe2.pe_cpu runs kernel 'wild'; last call: tl.cycles ("});
    }
  }
}

// No result is lost because of a name: the bytes are replaced.
BOOST_AUTO_TEST_CASE(names_that_are_no_utf_8_lose_no_result) {
  for (const std::string op_log : {"ops.csv", "ops.sqlite"}) {
    const TemporaryFolder folder;
    const Run run(
        of_kernel("latin_1", {"--json", "--verify-data", "--results", folder.file("results.json")}),
        op_log);
    BOOST_TEST(run.result.status == 0, run.result.err);
    const auto report = nlohmann::json::parse(run.result.out);
    BOOST_TEST(report.at("verdict") == "PASS");
    BOOST_TEST(report.at("kernels").at(0).at("kernel") == "k\xef\xbf\xbdrnel");
    BOOST_TEST(nlohmann::json::accept(folder.read("results.json")));
  }
}

BOOST_AUTO_TEST_CASE(a_signal_names_the_programs_that_run) {
  const Run run(of_kernel("cycles_1"), "ops.csv", {SIGTERM, {}, 1, "wild"});
  BOOST_TEST(run.result.status == 1);
  BOOST_TEST(run.result.cpu_after_signal_s < soon_s);
  check_contains(run.result.err,
                 {"kernbench: interrupted at ",
                  "\n  sip0.cube0.pe2.pe_cpu runs kernel 'wild'; last call: tl.cycles ("});
}

BOOST_AUTO_TEST_CASE(more_cycles_than_there_is_time_are_refused) {
  const Run run(of_kernel("cycles_max"));
  BOOST_TEST(run.result.status == 1);
  check_contains(run.result.err, {"sip0.cube0.pe2.pe_cpu at ",
                                  " ns: kernel 'wild': tl.cycles(18446744073709551615): simulated "
                                  "time would pass the 18446 s"});
}

BOOST_AUTO_TEST_CASE(a_kernel_that_waits_by_itself_is_listed_as_running) {
  const Run run(of_kernel("wait"));
  BOOST_TEST(run.result.status == 3);
  check_contains(run.result.err,
                 {"deadlock at ", "nothing is pending",
                  "\n  host.program waits for the end of KernelLaunch 'wild'",
                  "\n  sip0.cube0.pe2.pe_cpu runs kernel 'wild'; last call: tl.ref"});
}

BOOST_AUTO_TEST_CASE(a_kernel_in_a_deadlock_is_listed_with_its_last_call) {
  const Run run(of_kernel("recv_never"));
  BOOST_TEST(run.result.status == 3);
  check_contains(
      run.result.err,
      {"\n  sip0.cube0.pe2.pe_cpu waits for tl.recv in direction 'E' of kernel 'wild'",
       "\n  sip0.cube0.pe2.pe_cpu runs kernel 'wild'; last call: tl.recv (unruly_program.cpp:"});
}

BOOST_AUTO_TEST_CASE(pes_that_have_made_the_same_call_last_are_listed_on_one_line) {
  const Run run(of_kernel("recv_by_all"));
  BOOST_TEST(run.result.status == 3);
  check_contains(run.result.err,
                 {"\n  sip0.cube0.pe0.pe_cpu, sip0.cube0.pe1.pe_cpu, sip0.cube0.pe2.pe_cpu, "
                  "sip0.cube0.pe3.pe_cpu run kernel 'wild'; last call: tl.recv "
                  "(unruly_program.cpp:"});
}

BOOST_AUTO_TEST_SUITE_END()
