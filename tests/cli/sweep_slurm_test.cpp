// `kernbench sweep --slurm` with commands that only look like those of Slurm (spec 10.6); with a
// real cluster: tests/slurm.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/support/environment_variable.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(sweep_slurm)

namespace {

// sbatch runs the tasks of the array at once, one by one, and keeps its words; squeue prints what
// `squeue.txt` holds.
struct Cluster {
  explicit Cluster(const std::string& body_of_task = R"(sh -c "$wrap")") {
    script("sbatch", R"(
printf '%s\n' "$@" >)" + folder.file("words.txt") +
                         R"(
for word in "$@"; do
  case $word in
    --array=*) tasks=${word#--array=} ;;
    --wrap=*) wrap=${word#--wrap=} ;;
    --nodes=none) echo 'sbatch: error: invalid node count' >&2; exit 1 ;;
  esac
done
: >)" + folder.file("squeue.txt") +
                         R"(
for task in $(echo $tasks | tr , ' '); do
  export SLURM_ARRAY_TASK_ID=$task
  )" + body_of_task + R"( >/dev/null 2>&1
  status=$?
  state=COMPLETED; [ $status = 0 ] || state=FAILED
  echo "$task|$state|$((status > 128 ? status - 128 : status << 8))|None|" >>)" +
                         folder.file("squeue.txt") + R"(
done
echo 17)");
    folder.write("squeue.txt", "");
    script("squeue", "cat " + folder.file("squeue.txt"));
    folder.write("p.yaml",
                 "bench: gemm-single-pe\ntopology: tiny\naxes: {M: [32, 64, 96, 128, 160]}\n");
  }
  void script(const std::string& name, const std::string& text) const {
    folder.write(name, "#!/bin/sh\n" + text + '\n');
    std::filesystem::permissions(folder.file(name), std::filesystem::perms::owner_all);
  }
  // Commands of the folder instead of those of the host.
  std::string path() const { return folder.root.string() + ':' + std::getenv("PATH"); }
  Words sweep(const std::string& slurm = "--slurm") const {
    return {"sweep", folder.file("p.yaml"), "--results", folder.file("r.sqlite"), slurm, "--shards",
            "2"};
  }

  const TemporaryFolder folder;
};

}  // namespace

BOOST_AUTO_TEST_CASE(tasks_of_a_job_array_run_the_shards_and_are_merged) {
  const Cluster cluster;
  const EnvironmentVariable path("PATH", cluster.path());
  check_run(cluster.sweep("--slurm=--partition=long --comment='two words'"),
            {0, {"points             5: 5 ok, 0 failed"}, {"job 17 has been submitted: 2 of 2"}});
  const std::string words = cluster.folder.read("words.txt");
  check_contains(words, {"--partition=long\n--comment=two words\n--array=1,2\n--wrap=exec "});
  // Done: nothing is submitted.
  for (const char* name : {"r.1of2.sqlite", "r.1of2.csv", "r.slurm.json", "r.slurm-1.log"})
    BOOST_TEST(!cluster.folder.has(name), name);
  cluster.folder.write("words.txt", "");
  check_run(cluster.sweep(), {0, {"points             5: 5 ok, 0 failed; 5 done before"}});
  BOOST_TEST(cluster.folder.read("words.txt") == "");
  // Another point, in the second shard, whose other points are done.
  cluster.folder.write(
      "p.yaml", "bench: gemm-single-pe\ntopology: tiny\naxes: {M: [32, 64, 96, 128, 160, 192]}\n");
  check_run(cluster.sweep(), {0, {"points             6: 6 ok, 0 failed"}, {"1 of 2 shards"}});
  check_contains(cluster.folder.read("words.txt"), {"--array=2\n"});
}

BOOST_AUTO_TEST_CASE(a_killed_task_is_reported_and_the_same_command_resumes_it) {
  const Cluster cluster(R"(if [ $task = 2 ]; then sh -c 'kill -9 $$'; else sh -c "$wrap"; fi)");
  const EnvironmentVariable path("PATH", cluster.path());
  check_run(cluster.sweep(), {1,
                              {},
                              {"shard 2/2: killed by signal 9 (Killed), 0 of 2 points done",
                               "2 points of 1 shard are missing; the same command runs them"}});
  BOOST_TEST(!cluster.folder.has("r.sqlite"));
  const Cluster healthy;
  const EnvironmentVariable healed("PATH", healthy.path());
  check_run(cluster.sweep(), {0, {"points             5: 5 ok, 0 failed"}, {"1 of 2 shards"}});
  check_contains(healthy.folder.read("words.txt"), {"--array=2\n"});
}

BOOST_AUTO_TEST_CASE(a_job_that_runs_is_followed_until_an_interrupt) {
  const Cluster cluster("true");
  const EnvironmentVariable path("PATH", cluster.path());
  cluster.script("squeue", "echo '1|RUNNING|0|None|'; echo '2|PENDING|0|Resources|'");
  const Signal interrupt{SIGINT, {}, 1, "1 wait (Resources)"};
  const ProgramResult first = kernbench_program(cluster.sweep(), interrupt);
  BOOST_TEST(first.status == 1);
  check_contains(first.err,
                 {"job 17 has been submitted", "job 17: 0 of 2 shards have ended, 1 run",
                  "job 17 goes on: the same command follows it again", "scancel 17 cancels it"});
  const ProgramResult again = kernbench_program(cluster.sweep(), interrupt);
  check_contains(again.err, {"job 17 has been submitted before and is followed"});
  // A different plan would write the same files.
  cluster.folder.write("p.yaml", "bench: gemm-single-pe\ntopology: tiny\naxes: {N: [32, 64]}\n");
  check_refused(cluster.sweep(), {"job 17 writes the results", "scancel 17"});
}

BOOST_AUTO_TEST_CASE(without_slurm_or_with_a_refusal_nothing_is_run) {
  const Cluster cluster;
  {
    const TemporaryFolder empty;
    const EnvironmentVariable path("PATH", empty.root.string());
    check_refused(cluster.sweep(), {"there is no sbatch on this host", "--shard I/N"});
    BOOST_TEST(!cluster.folder.has("r.slurm.json"));
  }
  const EnvironmentVariable path("PATH", cluster.path());
  check_refused(cluster.sweep("--slurm=--nodes=none"),
                {"sbatch has refused the job: sbatch: error: invalid node count"});
  check_refused(cluster.sweep("--slurm='--x"), {"a quote is not closed"});
  check_refused(joined(cluster.sweep(), {"--shard", "1/2"}),
                {"--shard and --slurm exclude each other"});
  check_refused({"sweep", cluster.folder.file("p.yaml"), "--shards", "2"},
                {"--shards goes with --slurm"});
  BOOST_TEST(!cluster.folder.has("r.1of2.sqlite"));
}

BOOST_AUTO_TEST_SUITE_END()
