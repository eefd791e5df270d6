// The built program as a subprocess, and checks of what it prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace kernbench::test {

using Words = std::vector<std::string>;
using Json = nlohmann::json;

// Six SIPs of 4 cubes, where 16 would only take longer.
inline const Words six_small_sips{"--topology", "six_sip", "--set", "sip.cube_mesh.h=1"};

struct ProgramResult {
  int status = -1;  // exit status; 128 + signal if one ended it
  std::string out, err;
  double wall_s = 0;  // how fast the machine is now; no limit for a test
  // Processor time, which other processes do not lengthen: of all, and from the signal to the end.
  double cpu_s = 0, cpu_after_signal_s = 0;
  double reached_s = 0;  // wall time from the start to the point of the signal; 0: not reached
};

// A signal to the program once it has come to a point: `file` holds `bytes`, or `text` is in its
// standard error.
struct Signal {
  int number = 0;  // 0: none; the time at which the point is reached is noted all the same
  std::string file = {};
  std::uintmax_t bytes = 1;
  std::string text = {};
};

// Runs `kernbench ARGUMENTS...`, or another program; standard input is empty. `out_path`: where
// standard output goes instead of into the result.
ProgramResult kernbench_program(const Words& arguments, const Signal& signal = {},
                                const char* out_path = nullptr,
                                const char* program = KERNBENCH_PROGRAM);
// With a limit of the operating system (RLIMIT_AS, ...).
ProgramResult kernbench_program_limited(const Words& arguments, int resource, unsigned long limit);
// On a host that refuses threads (EAGAIN).
ProgramResult kernbench_program_without_threads(const Words& arguments);

// The point of the signal was reached in the first half of --max-wall, which has ended what comes
// then. On a machine that is too busy for that a test raises the limit; at `largest_max_wall_s` the
// answer is yes.
constexpr double largest_max_wall_s = 128;
inline bool reached_in_time(const ProgramResult& result, double max_wall_s) {
  return max_wall_s >= largest_max_wall_s ||
         (result.reached_s > 0 && result.reached_s < max_wall_s / 2);
}

// --- Words and texts

inline Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline Words bench_on_tiny(const std::string& bench, const Words& more = {}) {
  return joined({"run", "--bench", bench, "--topology", "tiny"}, more);
}

Words lines_of(const std::string& text);
Words words_of(const std::string& line);
std::size_t count_lines(const Words& lines, const std::string& part);

// --- Checked runs

// Exit status, and parts of standard output and standard error.
struct Ending {
  int status = 0;
  Words out = {}, err = {};
};
ProgramResult check_run(const Words& words, const Ending& ending = {},
                        const char* program = KERNBENCH_PROGRAM);
// Result of a run that must complete; of one with --json its standard output.
ProgramResult completed(const Words& words, const char* program = KERNBENCH_PROGRAM);
Json json_of(const Words& words, const char* program = KERNBENCH_PROGRAM);
// Every member of `values` is in `json` with this value.
void check_members(const Json& json, const Json& values);

// --- Wrong use

// Status 2, nothing on standard output, and an error that has all of the parts.
void check_refusal(const ProgramResult& result, const Words& parts);
// Of `kernbench WORDS...`; the second one has all of the parts in its first line.
void check_refused(const Words& words, const Words& parts);
void check_refused_in_a_line(const Words& words, const Words& parts, int status = 2);

}  // namespace kernbench::test
