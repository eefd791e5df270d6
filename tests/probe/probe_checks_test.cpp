// The verdicts (ADR-0049 D5) on times that are made up.
#include "platform/probe/probe_checks.h"

#include <boost/test/unit_test.hpp>
#include <map>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(probe_checks)

namespace {

// Cases with these times at 32 KiB and a formula of 10.
std::vector<ProbeOutcome> outcomes(const std::map<std::string, Fs>& times) {
  std::vector<ProbeOutcome> made;
  for (const auto& [name, time] : times) {
    ProbeOutcome& outcome = made.emplace_back();
    outcome.probe.name = name;
    ProbePoint& point = outcome.points.emplace_back();
    point.bytes = probe_bytes;
    point.actual = time;
    point.bound.data = 10;
  }
  return made;
}

const std::map<std::string, Fs> sound{{"h2d-1hop", 20},          {"h2d-2hop", 30},
                                      {"h2d-3hop", 40},          {"h2d-4hop", 50},
                                      {"d2h-1hop", 20},          {"d2h-2hop", 31},
                                      {"d2h-3hop", 41},          {"d2h-4hop", 51},
                                      {"pe-local-hbm", 10},      {"pe-same-half-hbm", 10},
                                      {"pe-cross-half-hbm", 12}, {"pe-cross-cube-hbm-best", 12},
                                      {"pe-cross-sip-hbm", 12},  {"pe-cross-cube-hbm-worst", 13}};

std::string verdict(const std::map<std::string, Fs>& times, const std::string& rule) {
  for (const ProbeCheck& check : check_probes(outcomes(times))) {
    if (check.rule == rule) return name_of(check.verdict);
  }
  return "no such rule";
}

std::map<std::string, Fs> with(const std::string& name, Fs time) {
  std::map<std::string, Fs> times = sound;
  times[name] = time;
  return times;
}

}  // namespace

BOOST_AUTO_TEST_CASE(sound_times_pass_every_rule) {
  const std::vector<ProbeCheck> checks = check_probes(outcomes(sound));
  BOOST_TEST(checks.size() == 9u);
  for (const ProbeCheck& check : checks)
    BOOST_TEST((check.verdict == Verdict::pass), check.rule << ": " << check.detail);
}

BOOST_AUTO_TEST_CASE(every_rule_fails_when_it_is_broken) {
  BOOST_TEST(verdict(with("h2d-3hop", 30), "H2D rises with hops") == "fail");  // equal is no rise
  BOOST_TEST(verdict(with("d2h-4hop", 40), "D2H rises with hops") == "fail");
  BOOST_TEST(verdict(with("d2h-2hop", 29), "D2H >= H2D") == "fail");
  BOOST_TEST(verdict(with("pe-local-hbm", 11), "local <= same half") == "fail");
  BOOST_TEST(verdict(with("pe-same-half-hbm", 13), "same half <= cross half") == "fail");
  BOOST_TEST(verdict(with("pe-cross-half-hbm", 13), "cross half <= cross-cube best") == "fail");
  BOOST_TEST(verdict(with("pe-cross-cube-hbm-worst", 12), "cross-cube best < worst") == "fail");
  BOOST_TEST(verdict(with("pe-cross-sip-hbm", 11), "cross-cube best <= cross-SIP") == "fail");
  BOOST_TEST(verdict(with("h2d-1hop", 9), "simulated >= formula") == "fail");
}

BOOST_AUTO_TEST_CASE(a_rule_without_its_cases_is_skipped_with_the_reason) {
  std::vector<ProbeOutcome> some = outcomes({{"pe-local-hbm", 10}, {"h2d-1hop", 20}});
  some.push_back({});
  some.back().probe.name = "pe-cross-sip-hbm";
  some.back().probe.unavailable = "the machine has one SIP";
  const std::vector<ProbeCheck> checks = check_probes(some);
  for (const ProbeCheck& check : checks) {
    BOOST_TEST((check.verdict ==
                (check.rule == "simulated >= formula" ? Verdict::pass : Verdict::skipped)),
               check.rule);
    BOOST_TEST(check.detail != "");
  }
  const std::string text = checks_text(checks);
  BOOST_TEST(
      text.find("[-] SKIP  local <= same half: pe-same-half-hbm was not asked for\n") != text.npos,
      text);
  BOOST_TEST(text.find("[v] PASS  simulated >= formula: 2 measurements\n") != text.npos, text);
}

BOOST_AUTO_TEST_CASE(the_marks_are_stable) {
  const std::string text = checks_text(check_probes(outcomes(with("h2d-3hop", 30))));
  BOOST_TEST(text.find("[x] FAIL  H2D rises with hops: ") == 0u, text);
  BOOST_TEST(text.find("\n[v] PASS  D2H rises with hops: ") != text.npos, text);
}

BOOST_AUTO_TEST_SUITE_END()
