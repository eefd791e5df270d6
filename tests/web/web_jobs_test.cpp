// Runs started from the page (spec 11.5).
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_jobs_test)

namespace {

using Answer = Json;

const Words tiny{"--topology", "tiny"};
// Runs for minutes unless it is ended.
const Answer endless{
    {"bench", "int8-gemm"},
    {"parameters",
     {{"M", 32}, {"K", 16384}, {"N", 16384}, {"block_k", 32}, {"block_n", 32}, {"pes", 1}}}};

HttpAnswer post(const ServedProgram& web, const Answer& body) {
  return web.request("POST", "/api/jobs", body.dump());
}

int started(const ServedProgram& web, const Answer& body) {
  const HttpAnswer answer = post(web, body);
  BOOST_TEST_REQUIRE(answer.status == 200, answer.body);
  return Answer::parse(answer.body)["id"];
}

std::string refusal(const ServedProgram& web, const Answer& body, int status = 400) {
  const HttpAnswer answer = post(web, body);
  BOOST_TEST(answer.status == status, answer.body);
  return Answer::parse(answer.body).value("error", "");
}

Answer job(const ServedProgram& web, int id) { return web.json("/api/jobs/" + std::to_string(id)); }

// The job when its state is none of these.
Answer after(const ServedProgram& web, int id, const Words& states) {
  while (true) {
    Answer now = job(web, id);
    if (std::find(states.begin(), states.end(), now["state"]) == states.end()) return now;
    ::usleep(20000);
  }
}

std::vector<::pid_t> children_of(::pid_t pid) {
  std::vector<::pid_t> children;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream file(task.path() / "children");
    for (::pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

// Not counting processes that have ended and whose parent has not asked.
bool is_running(::pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !stat.empty() && stat.find(") Z ") == std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(forms_have_the_declared_parameters) {
  const ServedProgram web(tiny);
  const Answer forms = web.json("/api/benches");
  const Json listed = json_of({"list", "--json"});
  BOOST_TEST_REQUIRE(forms["benches"].size() == listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    BOOST_TEST(forms["benches"][i]["name"] == listed[i]["name"]);
    for (std::size_t p = 0; p < listed[i]["parameters"].size(); ++p) {
      const auto& parameter = forms["benches"][i]["parameters"][p];
      for (const char* key : {"name", "default", "allowed", "unit", "description"})
        BOOST_TEST(Json(parameter[key]) == listed[i]["parameters"][p][key]);
      BOOST_TEST((parameter["type"] == "choice") == parameter["choices"].is_array());
    }
  }
  BOOST_TEST(forms["topologies"][0] == "tiny");
}

BOOST_AUTO_TEST_CASE(a_started_run_is_opened_next_to_the_others) {
  const ServedProgram web(tiny);
  const int id = started(web, {{"bench", "gemm-single-pe"},
                               {"parameters", {{"M", "64"}}},
                               {"set", {"system.flit_bytes=128"}}});
  const Answer done = after(web, id, {"queued", "running"});
  BOOST_TEST(done["state"] == "done");
  BOOST_TEST(done["message"] == "");
  BOOST_TEST_REQUIRE(done["run"].is_number());
  BOOST_TEST(done["command"] ==
             "kernbench run --bench gemm-single-pe --topology=tiny --param=M=64 "
             "--set=system.flit_bytes=128 --op-log run.sqlite");
  const Answer session = web.json("/api/session");
  BOOST_TEST(session["runs"].size() == 1U);
  BOOST_TEST(session["machines"].size() == 2U);  // of another flit size
  BOOST_TEST(session["runs"][0]["machine"] == 1);
  // The same run on the command line.
  const Json run = json_of({"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--param",
                            "M=64", "--set", "system.flit_bytes=128", "--json"});
  const Answer summary = web.json("/api/run/0/summary");
  BOOST_TEST(Json(summary["bottleneck"]["window_ns"]) == run["bottleneck"]["window_ns"]);
}

BOOST_AUTO_TEST_CASE(wrong_values_are_refused_with_the_message_of_the_command_line) {
  const ServedProgram web(tiny);
  const auto same = [&](const Answer& body, const Words& words) {
    const ProgramResult result =
        kernbench_program(joined({"run", "--topology", "tiny", "--print-config"}, words));
    const std::string error = refusal(web, body);
    BOOST_TEST(result.err == "kernbench: error: " + error + '\n');
  };
  same({{"bench", "gemm-single-pe"}, {"parameters", {{"M", -1}}}},
       {"--bench", "gemm-single-pe", "--param", "M=-1"});
  same({{"bench", "gemm-single-pe"}, {"parameters", {{"Q", 1}}}},
       {"--bench", "gemm-single-pe", "--param", "Q=1"});
  same({{"bench", "gemm-single-pe"}, {"set", {"cube.nothing=1"}}},
       {"--bench", "gemm-single-pe", "--set", "cube.nothing=1"});
  same({{"bench", "gem-single-pe"}}, {"--bench", "gem-single-pe"});
  BOOST_TEST(web.json("/api/jobs").empty());
}

BOOST_AUTO_TEST_CASE(requests_cannot_name_files_or_options) {
  const ServedProgram web(tiny);
  const TemporaryFolder folder;
  const auto refused = [&](const Answer& body, const std::string& part) {
    BOOST_TEST(refusal(web, body).find(part) != std::string::npos, body.dump());
  };
  refused({{"bench", "gemm-single-pe"}, {"topology", "/etc/passwd"}}, "topology");
  refused({{"bench", "gemm-single-pe"}, {"topology", "../configs/topology.yaml"}}, "topology");
  refused({{"bench", "llm-serve"}, {"parameters", {{"trace", "/etc/passwd"}}}}, "is a file");
  refused({{"bench", "gemm-single-pe"}, {"set", {"components:plugins=[x.so]"}}}, "command line");
  refused({{"bench", "gemm-single-pe"}, {"set", {"ccl:tuning_table=/etc/passwd"}}}, "is a file");
  refused({{"bench", "gemm-single-pe"}, {"plugin", "x.so"}}, "plugin");
  refused({{"bench", "gemm-single-pe"}, {"set", "system.flit_bytes=128"}}, "set");
  refused({{"bench", "--op-log=" + folder.file("x.sqlite")}}, "unknown bench");
  refused({{"bench", "gemm-single-pe"}, {"parameters", {{"--stats", folder.file("x")}}}}, "file");
  refused({{"bench", 3}}, "bench");
  refused(Answer::array(), "not a JSON object");
  BOOST_TEST(!std::filesystem::exists(folder.file("x.sqlite")));
  BOOST_TEST(web.json("/api/jobs").empty());
}

BOOST_AUTO_TEST_CASE(two_run_at_a_time_others_wait_and_can_be_cancelled) {
  const ServedProgram web(tiny);
  std::vector<int> jobs;
  // Two run and 16 are queued; the check of each takes a process, too.
  for (int i = 0; i < 18; ++i) {
    jobs.push_back(started(web, endless));
    if (i < 2) after(web, jobs.back(), {"queued"});
  }
  BOOST_TEST(refusal(web, endless, 429).find("queued") != std::string::npos);
  BOOST_TEST(job(web, jobs[0])["state"] == "running");
  BOOST_TEST(job(web, jobs[1])["state"] == "running");
  BOOST_TEST(job(web, jobs[2])["state"] == "queued");
  for (std::size_t i = jobs.size(); i-- > 0;) {
    const HttpAnswer answer = web.request("DELETE", "/api/jobs/" + std::to_string(jobs[i]));
    BOOST_TEST(answer.status == 200);
    const Answer ended = after(web, jobs[i], {"running"});
    BOOST_TEST(ended["state"] == "cancelled");
    BOOST_TEST(ended["run"].is_null());
  }
  BOOST_TEST(children_of(web.pid()).empty());
  BOOST_TEST(web.request("DELETE", "/api/jobs/99").status == 404);
}

BOOST_AUTO_TEST_CASE(progress_is_simulated_time) {
  const ServedProgram web(tiny);
  const int id = started(web, endless);
  Answer now = job(web, id);
  while (now["state"] == "queued" || (now["state"] == "running" && now["simulated"] == "")) {
    ::usleep(20000);
    now = job(web, id);
  }
  BOOST_TEST(now["state"] == "running");
  BOOST_TEST(now["simulated"].get<std::string>().find("events/s") != std::string::npos);
  web.request("DELETE", "/api/jobs/" + std::to_string(id));
}

// By a signal that it can handle, and by one that it cannot.
BOOST_AUTO_TEST_CASE(runs_end_with_the_server) {
  for (const int signal : {SIGINT, SIGKILL}) {
    const TemporaryFolder folder;
    ::setenv("TMPDIR", folder.root.c_str(), 1);
    ServedProgram web(tiny);
    ::unsetenv("TMPDIR");
    const int id = started(web, endless);
    after(web, id, {"queued"});
    const std::vector<::pid_t> children = children_of(web.pid());
    BOOST_TEST_REQUIRE(children.size() == 1U);
    BOOST_TEST(is_running(children[0]));
    BOOST_TEST(web.stop(signal) == (signal == SIGKILL ? 128 + SIGKILL : 0));
    while (is_running(children[0])) ::usleep(10000);
    if (signal == SIGKILL) continue;
    for (const auto& left : std::filesystem::directory_iterator(folder.root))
      BOOST_TEST(left.path().filename().string().rfind("kernbench-web-", 0) != 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
