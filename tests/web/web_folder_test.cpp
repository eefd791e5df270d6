// Temporary folders of servers (spec 11.5): a killed server's is removed by the next one.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>

#include "tests/web/served_program.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(web_folder_test)

namespace {

namespace fs = std::filesystem;

struct TemporaryPlace {
  TemporaryFolder folder;
  TemporaryPlace() { ::setenv("TMPDIR", folder.root.c_str(), 1); }
  ~TemporaryPlace() { ::unsetenv("TMPDIR"); }
  Words names() const {
    Words names;
    for (const auto& each : fs::directory_iterator(folder.root))
      if (const std::string name = each.path().filename().string();
          name.rfind("kernbench-web-", 0) == 0)
        names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_server_removes_the_folders_of_killed_servers_only) {
  const TemporaryPlace place;
  const ServedProgram living({"--topology", "tiny"});
  const Words of_living = place.names();
  BOOST_TEST_REQUIRE(of_living.size() == 1U);
  {
    ServedProgram killed({"--topology", "tiny"});
    const HttpAnswer answer = killed.request(
        "POST", "/api/jobs", R"({"bench": "gemm-single-pe", "parameters": {"M": 64}})");
    BOOST_TEST_REQUIRE(answer.status == 200, answer.body);
    while (killed.json("/api/jobs/0")["state"] != "done") ::usleep(20000);
    BOOST_TEST(killed.stop(SIGKILL) == 128 + SIGKILL);
  }
  BOOST_TEST(place.names().size() == 2U);  // with the log of its job
  const ServedProgram next({"--topology", "tiny"});
  const Words left = place.names();
  BOOST_TEST(left.size() == 2U);
  BOOST_TEST((std::find(left.begin(), left.end(), of_living[0]) != left.end()));
  BOOST_TEST(living.json("/api/session")["machines"].size() == 1U);
}

// Of other names, without a lock, by a link, or open to others: no folders of dead servers.
BOOST_AUTO_TEST_CASE(other_folders_stay) {
  const TemporaryPlace place;
  const fs::path root = place.folder.root;
  const auto make = [&](const std::string& name, bool has_lock, fs::perms perms) {
    fs::create_directory(root / name);
    std::ofstream(root / name / "content") << "x";
    if (has_lock) {
      std::ofstream(root / name / "lock") << "";
      fs::permissions(root / name / "lock", fs::perms::owner_read | fs::perms::owner_write);
    }
    fs::permissions(root / name, perms);
  };
  make("other-web-a", true, fs::perms::owner_all);
  make("kernbench-web-nolock", false, fs::perms::owner_all);
  make("kernbench-web-shared", true, fs::perms::all);
  make("kernbench-web-dead", true, fs::perms::owner_all);
  make("target", true, fs::perms::owner_all);
  fs::create_directory_symlink(root / "target", root / "kernbench-web-link");
  fs::create_directory(root / "kernbench-web-linked");
  fs::permissions(root / "kernbench-web-linked", fs::perms::owner_all);
  fs::create_symlink(root / "target" / "lock", root / "kernbench-web-linked" / "lock");
  std::ofstream(root / "kernbench-web-file") << "x";
  ServedProgram web({"--topology", "tiny"});
  BOOST_TEST(web.stop(SIGTERM) == 0);
  for (const char* name :
       {"other-web-a/content", "kernbench-web-nolock/content", "kernbench-web-shared/content",
        "target/content", "kernbench-web-link", "kernbench-web-linked/lock", "kernbench-web-file"})
    BOOST_TEST(fs::exists(fs::symlink_status(root / name)), name);
  BOOST_TEST(!fs::exists(root / "kernbench-web-dead"));
  BOOST_TEST(place.names().size() == 5U);
}

BOOST_AUTO_TEST_SUITE_END()
