// The installed tree: public headers and nothing else of ours, closed under inclusion; what
// find_package() and pkg-config need (spec 12).
#include <fnmatch.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
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

using Names = std::set<std::string>;

// packaging/public_headers.txt.
struct PublicHeaders {
  Names entries;   // part 1: authors include them
  Names included;  // part 2: only through those
  std::size_t lines = 0;
};

PublicHeaders public_headers() {
  PublicHeaders headers;
  Names* part = nullptr;
  for (const std::string& line : lines_of(source_text("packaging/public_headers.txt"))) {
    if (line.rfind("# ==== Part 1", 0) == 0) part = &headers.entries;
    if (line.rfind("# ==== Part 2", 0) == 0) part = &headers.included;
    if (line.empty() || line.front() == '#') continue;
    BOOST_REQUIRE(part != nullptr);
    part->insert(line);
    ++headers.lines;
  }
  return headers;
}

// Headers of this project that a text includes, whatever the brackets.
Names includes_of(const std::string& text) {
  static const std::regex include(
      "^\\s*#\\s*include\\s*[\"<]((?:models|platform|sw)/[^\">]+)[\">]");
  static const std::regex quoted("^\\s*#\\s*include\\s*\"([^\"]+)\"");
  Names names;
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (std::regex_search(line, match, include) || std::regex_search(line, match, quoted))
      names.insert(match[1]);
  }
  return names;
}

// "a.h includes b.h" for each include of a header that is not in the set.
Words includes_outside(const std::map<std::string, Names>& headers) {
  Words faults;
  for (const auto& [header, includes] : headers) {
    for (const std::string& name : includes) {
      if (headers.count(name) == 0) faults.push_back(header + " includes " + name);
    }
  }
  return faults;
}

std::map<std::string, Names> installed_headers() {
  std::map<std::string, Names> headers;
  const fs::path root = prefix / "include" / "kernbench";
  for (const std::string& header : files_below(root))
    headers[header] = includes_of(read_file((root / header).string()));
  return headers;
}

}  // namespace

BOOST_AUTO_TEST_CASE(public_headers_are_installed_and_no_others) {
  const PublicHeaders listed = public_headers();
  BOOST_TEST(listed.entries.size() > 50U);
  BOOST_TEST(listed.entries.size() + listed.included.size() == listed.lines, "a line occurs twice");
  Names all = listed.entries;
  all.insert(listed.included.begin(), listed.included.end());
  BOOST_TEST(files_below(prefix / "include" / "kernbench") == all,
             boost::test_tools::per_element());
  // Built-in components are not public, except those that are base classes.
  BOOST_TEST(all.count("models/base/plugin.h") == 1U);
  BOOST_TEST(all.count("models/cube/hbm_banked.h") == 0U);
}

BOOST_AUTO_TEST_CASE(public_headers_include_public_headers_only) {
  const std::map<std::string, Names> headers = installed_headers();
  std::size_t includes = 0;
  for (const auto& [header, names] : headers) includes += names.size();
  BOOST_TEST(includes > headers.size());
  for (const std::string& fault : includes_outside(headers)) BOOST_TEST(false, fault);
}

BOOST_AUTO_TEST_CASE(an_include_of_a_header_that_is_not_public_is_found) {
  const std::map<std::string, Names> headers{
      {"models/a.h", includes_of("#pragma once\n#include <vector>\n  #  include \"models/b.h\"\n")},
      {"models/b.h",
       includes_of("#include \"models/c.h\"\n#include <sw/d.h>\n// \"models/e.h\"\n")}};
  BOOST_TEST(includes_outside(headers) ==
                 (Words{"models/b.h includes models/c.h", "models/b.h includes sw/d.h"}),
             boost::test_tools::per_element());
}

// Part 2 has no header that nothing needs.
BOOST_AUTO_TEST_CASE(headers_of_the_second_part_are_included_by_others) {
  Names included;
  for (const auto& [header, names] : installed_headers())
    included.insert(names.begin(), names.end());
  for (const std::string& header : public_headers().included)
    BOOST_TEST(included.count(header) == 1U, "no public header includes " << header);
}

// Templates, examples and guides, all that an author starts from, include headers of part 1 only.
BOOST_AUTO_TEST_CASE(templates_examples_and_guides_include_headers_of_the_first_part) {
  static const Names guides{"write-a-plugin.md", "use-as-a-library.md"};
  const Names entries = public_headers().entries;
  std::size_t sources = 0;
  for (const std::string& file : files_below(prefix)) {
    const fs::path path(file);
    const std::string folder = path.parent_path().string() + "/";
    const auto below = [&folder](const std::string& name) {
      return folder.find("/" + name + "/") != std::string::npos;
    };
    const std::string kind = path.extension().string();
    const bool is_source = below("kernbench/templates") || below("kernbench/rtl") ||
                           below("tests/plugins") || below("tests/library") ||
                           below("tests/rules") || kind == ".cmake";
    const bool is_guide = kind == ".md" && (guides.count(path.filename().string()) == 1 ||
                                            below("KernBench/sw") || below("models/rtl"));
    if (!is_source && !is_guide) continue;
    ++sources;
    for (const std::string& name : includes_of(read_file((prefix / file).string()))) {
      if (std::regex_search(name, std::regex("^(models|platform|sw)/")))
        BOOST_TEST(entries.count(name) == 1U, file << " includes " << name);
    }
  }
  BOOST_TEST(sources > 40U);
}

BOOST_AUTO_TEST_CASE(nothing_else_is_installed) {
  const std::string lib = library_folder + "/";
  const Words expected{"bin/kernbench",
                       lib + "libkernbench_mock.so",
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
                       "share/doc/*/packaging/public_headers.txt",
                       "share/doc/*/docs/*.md",
                       "share/doc/*/docs/*/*.md",
                       "share/doc/*/docs/images/*.svg",
                       "share/doc/*/docs/studies/*.svg",
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
                       "share/kernbench/configs/sweeps/*.yaml",
                       "share/kernbench/configs/README.md",
                       "share/kernbench/templates/kinds.txt",
                       "share/kernbench/templates/*/*",
                       "share/kernbench/waveforms/*/*.gtkw"};
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

BOOST_AUTO_TEST_CASE(the_installed_program_uses_the_files_installed_with_it) {
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
