// Presets of waveforms/: the command in each README makes a trace that has what the save file
// shows (spec 11.1).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "tests/cli/program.h"
#include "tests/support/vcd_reader.h"

using namespace kernbench::test;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(wave_presets)

namespace {

const fs::path root = KERNBENCH_SOURCE_DIR;

// Without Verilator there are no blocks in RTL.
bool can_run([[maybe_unused]] const std::string& preset) {
#ifdef KERNBENCH_WITH_RTL
  return true;
#else
  return preset.rfind("rtl-", 0) != 0;
#endif
}

Words presets() {
  Words names;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "waveforms"))
    if (entry.is_directory() && can_run(entry.path().filename().string()))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const std::string& preset, const std::string& file) {
  return source_text("waveforms/" + preset + "/" + file);
}

// The words behind ./kernbench, with continuation lines.
Words command_in(const std::string& readme) {
  const std::string program = "\n./kernbench ";
  const auto begin = readme.find(program);
  BOOST_TEST_REQUIRE(begin != std::string::npos);
  std::string command = readme.substr(begin + program.size());
  auto end = command.find('\n');
  while (end != std::string::npos && command[end - 1] == '\\') {
    command.replace(end - 1, 2, " ");
    end = command.find('\n', end);
  }
  Words words = words_of(command.substr(0, end));
  for (std::string& word : words)
    word.erase(std::remove(word.begin(), word.end(), '\''), word.end());
  return words;
}

// Runs the command with its trace in a temporary folder and its input from this source tree.
Vcd trace_of(const std::string& preset) {
  const TemporaryFolder folder;
  const std::string own = "waveforms/" + preset + "/", trace = own + "trace.vcd";
  Words words = command_in(text_of(preset, "README.md"));
  BOOST_TEST(std::count(words.begin(), words.end(), trace) == 1);
  for (std::string& word : words) {
    if (word == trace)
      word = folder.file("trace.vcd");
    else if (word.rfind(own, 0) == 0)
      word = (root / word).string();
  }
  completed(words);
  return read_vcd(folder.read("trace.vcd"));
}

// Names of signals in a save file of GTKWave, without alias and range; other lines begin with a
// sign, or are colours.
std::set<std::string> signals_in(const std::string& save_file) {
  std::set<std::string> names;
  for (std::string line : lines_of(save_file)) {
    if (line.rfind("+{", 0) == 0) line.erase(0, line.find("} ") + 2);
    if (!line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) != 0)
      names.insert(line.substr(0, line.find('[')));
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_preset_shows_moves_in_its_trace) {
  const Words all = presets();
  BOOST_TEST(all.size() >= 5U);
  for (const std::string& preset : all) {
    const std::string save_file = text_of(preset, preset + ".gtkw");
    const std::set<std::string> names = signals_in(save_file);
    BOOST_TEST(names.size() > 10U, preset);
    BOOST_TEST((save_file.find("[dumpfile] \"trace.vcd\"") != std::string::npos), preset);
    const Vcd trace = trace_of(preset);
    for (const std::string& name : names) {
      const auto found = trace.variables.find(name);
      BOOST_TEST_REQUIRE((found != trace.variables.end()), preset << ": no " << name);
      BOOST_TEST(found->second.changes.size() > 1U, preset << ": " << name << " never changes");
      // GTKWave takes a name with the range of the variable only.
      const VcdVariable& variable = found->second;
      const std::string range = variable.type == "wire" && variable.width > 1
                                    ? "[" + std::to_string(variable.width - 1) + ":0]\n"
                                    : "\n";
      BOOST_TEST(contains(save_file, name + range), preset << ": " << name << range);
    }
  }
}

// Another PE of another machine than the preset's own; the file holds the components of the view.
BOOST_AUTO_TEST_CASE(a_preset_is_applied_to_any_instance) {
  const TemporaryFolder folder;
  const Words run{"run",     "--bench", "gpt3-qkv",          "--param",
                  "cubes=2", "--trace", folder.file("w.vcd")};
  const auto with = [&run](const Words& more) { return joined(run, more); };
  const ProgramResult result = completed(with({"--trace-view", "pe-pipeline=sip0.cube1.pe5"}));
  BOOST_TEST(!contains(result.err, "warning"), result.err);
  std::set<std::string> expected;
  for (const std::string& name : signals_in(text_of("pe-pipeline", "pe-pipeline.gtkw")))
    expected.insert("sip0.cube1.pe5" + name.substr(std::string("sip0.cube0.pe0").size()));
  const std::string view = folder.read("w.gtkw");
  BOOST_TEST(signals_in(view) == expected, boost::test_tools::per_element());
  BOOST_TEST(contains(view, "[dumpfile] \"w.vcd\""));
  BOOST_TEST(!contains(view, "[markername]"));
  const Vcd trace = read_vcd(folder.read("w.vcd"));
  for (const std::string& name : expected) BOOST_TEST(trace.variables.count(name) == 1U, name);
  for (const auto& [name, variable] : trace.variables)
    BOOST_TEST(name.rfind("sip0.cube1.pe5.", 0) == 0, name);
  // Surfer has the groups of the preset.
  BOOST_TEST(contains(folder.read("w.sucl"),
                      "divider_add stages_busy\nvariable_add "
                      "sip0.cube1.pe5.pe_cpu.state\n"));

  check_refused(with({"--trace-view", "pipeline"}),
                {"--trace-view 'pipeline': no such view", "did you mean 'pe-pipeline'?",
                 "all-reduce, gemm-stages"});
  check_refused(with({"--trace-view", "pe-pipeline=sip0.cube1"}),
                {"shows an instance such as sip0.cube0.pe0, not 'sip0.cube1'"});
  check_refused(with({"--trace-view", "pe-pipeline=sip0.cube1.pe8"}),
                {"--trace-view 'sip0.cube1.pe8' matches no signal of this machine"});
  check_refused(with({"--trace-view", "all-reduce=sip1"}), {"shows the whole machine"});
  check_refused({"run", "--bench", "gpt3-qkv", "--trace-view", "pe-pipeline"},
                {"--trace-view requires --trace"});
}

// The pins of a block in RTL that the machine does not have.
BOOST_AUTO_TEST_CASE(signals_that_the_waveform_lacks_are_named) {
  const TemporaryFolder folder;
  check_run(bench_on_tiny("matmul-composite",
                          {"--trace", folder.file("w.vcd"), "--trace-view", "rtl-gemm"}),
            {0, {}, {"of its signals: 'sip0.cube0.pe0.pe_gemm.clk', ..."}});
  BOOST_TEST(contains(folder.read("w.gtkw"), "sip0.cube0.pe0.pe_gemm.gemm_state"));
  BOOST_TEST(!contains(folder.read("w.gtkw"), "sip0.cube0.pe0.pe_gemm.clk"));
}

BOOST_AUTO_TEST_CASE(each_preset_is_listed_and_has_its_picture) {
  const std::string list = source_text("waveforms/README.md");
  for (const std::string& preset : presets()) {
    check_contains(list, {"](" + preset + "/README.md)"});
    check_contains(text_of(preset, "README.md"),
                   {"](picture.png)", "waveforms/" + preset + "/" + preset + ".gtkw"});
    const std::string picture = text_of(preset, "picture.png");
    BOOST_TEST((picture.rfind("\x89PNG", 0) == 0), preset);
    BOOST_TEST(picture.size() < 150'000U, preset);
  }
}

BOOST_AUTO_TEST_SUITE_END()
