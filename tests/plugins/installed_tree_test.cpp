// The installed tree: public headers and nothing else of ours, closed under inclusion; what
// find_package() and pkg-config need (spec 12).
#include <fnmatch.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/docs/doc_rules.h"
#include "tests/plugins/examples.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(installed_tree)

namespace {

namespace fs = std::filesystem;

const fs::path prefix = KERNBENCH_PREFIX;
const std::string library_folder = KERNBENCH_LIBDIR;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) files.insert(fs::relative(entry.path(), folder).string());
  }
  return files;
}

bool matches_any(const std::string& file, const Words& patterns) {
  for (const std::string& pattern : patterns) {
    if (::fnmatch(pattern.c_str(), file.c_str(), FNM_PATHNAME) == 0) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(public_headers_are_installed_and_no_others) {
  Words patterns;
  for (const std::string& line : lines_of(source_text("packaging/public_headers.txt"))) {
    if (!line.empty() && line.front() != '#') patterns.push_back(line);
  }
  const auto headers = files_below(prefix / "include" / "kernbench");
  BOOST_TEST(headers.size() > 100U);
  for (const std::string& header : headers) BOOST_TEST(matches_any(header, patterns), header);
  // Components themselves are not public, but for the bases of engines.
  BOOST_TEST(headers.count("models/base/plugin.h") == 1U);
  BOOST_TEST(headers.count("models/cube/hbm_ctrl.h") == 0U);
}

BOOST_AUTO_TEST_CASE(public_headers_include_public_headers_only) {
  static const std::regex include("^\\s*#\\s*include\\s+\"([^\"]+)\"");
  const auto headers = files_below(prefix / "include" / "kernbench");
  for (const std::string& header : headers) {
    for (const std::string& line :
         lines_of(read_file((prefix / "include" / "kernbench" / header).string()))) {
      std::smatch match;
      if (std::regex_search(line, match, include))
        BOOST_TEST(headers.count(match[1]) == 1U, header << " includes " << match[1]);
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_else_is_installed) {
  const std::string lib = library_folder + "/";
  const Words expected{"bin/kernbench",
                       lib + "libkernbench_models.so",
                       lib + "libkernbench_rtl_runtime.a",
                       lib + "libkernbench_platform.so",
                       lib + "libkernbench_sw.so",
                       lib + "cmake/KernBench/KernBench*.cmake",
                       lib + "pkgconfig/kernbench.pc",
                       "share/doc/*/README.md",
                       "share/doc/*/LICENSE",
                       "share/doc/*/*/README.md",
                       "share/doc/*/sw/collectives/README.md",
                       "share/doc/*/docs/*.md",
                       "share/doc/*/docs/*/*.md",
                       "share/doc/*/docs/images/*.svg",
                       "share/doc/*/tests/library/*",
                       "share/doc/*/waveforms/*",
                       "share/doc/*/waveforms/*/*",
                       "share/doc/*/tests/rules/*.h",
                       "share/doc/*/tests/plugins/examples/*.cpp",
                       "share/doc/*/tests/*/*.cpp",
                       "share/doc/*/tests/*/*.h",
                       "share/doc/*/models/rtl/README.md",
                       "share/doc/*/models/rtl/sv/*.sv",
                       "share/doc/*/tests/plugins/rtl_examples/*",
                       "share/doc/*/tests/plugins/rtl_examples/faulty/*",
                       "share/kernbench/rtl/verilated_hooks.*",
                       "share/kernbench/rtl/sv/*.sv",
                       "share/kernbench/configs/*.yaml",
                       "share/kernbench/configs/README.md",
                       "share/kernbench/templates/*/*"};
  for (const std::string& file : files_below(prefix)) {
    if (file.rfind("include/kernbench/", 0) != 0)
      BOOST_TEST(matches_any(file, expected), "installed: " << file);
  }
}

// Links of the installed pages lead to installed pages; files that the pages for authors of
// plug-ins name are among the headers, the documentation or the data.
BOOST_AUTO_TEST_CASE(installed_pages_name_installed_files) {
  using namespace kernbench::docs;
  static const std::regex file("`((?:models|platform|sw|tests|templates|docs)/[\\w./-]*\\w)");
  const fs::path root = prefix / "share/doc/KernBench";
  const auto is_page = [](const std::string& path) { return fs::path(path).extension() == ".md"; };
  const std::vector<Page> pages = read_pages(root, is_page);
  BOOST_TEST(pages.size() > 60U);
  for (const Page& page : pages) {
    for (const std::string& fault : check_links(page, root)) BOOST_TEST(false, fault);
    if (page.path.rfind("docs/contracts/", 0) != 0 && page.path != "docs/write-a-plugin.md" &&
        page.path != "docs/use-as-a-library.md")
      continue;
    for (std::sregex_iterator at(page.text.begin(), page.text.end(), file), end; at != end; ++at) {
      const std::string path = (*at)[1];
      BOOST_TEST((fs::exists(root / path) || fs::exists(prefix / "include/kernbench" / path) ||
                  fs::exists(prefix / "share/kernbench" / path)),
                 page.path << " names " << path);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_installed_program_uses_what_is_installed_beside_it) {
  const std::string config =
      output_of({"run", "--bench", "gemm-single-pe", "--topology", "tiny", "--print-config"});
  BOOST_TEST(config.find((prefix / "share/kernbench/configs/topology.tiny.yaml").string()) !=
             std::string::npos);
}

// Also from another place: nothing in it names the folder that it was installed to.
BOOST_AUTO_TEST_CASE(an_installed_tree_can_be_moved) {
  const TemporaryFolder folder;
  fs::copy(prefix, folder.root / "moved", fs::copy_options::recursive);
  const ProgramResult result =
      kernbench_program({"topology", "--topology", "tiny"}, {}, nullptr,
                        (folder.root / "moved" / "bin" / "kernbench").c_str());
  BOOST_TEST(result.status == 0, result.err);
  for (const char* file : {"pkgconfig/kernbench.pc", "cmake/KernBench/KernBenchConfig.cmake",
                           "cmake/KernBench/KernBenchTargets.cmake"})
    BOOST_TEST(read_file((prefix / library_folder / file).string()).find(prefix.string()) ==
                   std::string::npos,
               file);
}

BOOST_AUTO_TEST_SUITE_END()
