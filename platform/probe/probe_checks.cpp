#include "platform/probe/probe_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kernbench {
namespace {

const ProbeOutcome* find(const std::vector<ProbeOutcome>& outcomes, const std::string& name) {
  const auto found =
      std::find_if(outcomes.begin(), outcomes.end(),
                   [&](const ProbeOutcome& outcome) { return outcome.probe.name == name; });
  return found == outcomes.end() ? nullptr : &*found;
}

class Checker {
 public:
  explicit Checker(const std::vector<ProbeOutcome>& outcomes) : outcomes_(outcomes) {}

  // "a <= b", or "a < b" if `strictly`.
  void order(const std::string& rule, const std::string& smaller, const std::string& larger,
             bool strictly) {
    ProbeCheck check{rule, Verdict::skipped, missing({smaller, larger})};
    if (check.detail.empty()) {
      const Fs a = time_of(smaller);
      const Fs b = time_of(larger);
      check.verdict = (strictly ? a < b : a <= b) ? Verdict::pass : Verdict::fail;
      check.detail = fmt::format("{:.3f} ns, {:.3f} ns", to_ns(a), to_ns(b));
    }
    checks_.push_back(check);
  }

  // Strictly ascending, over as many hops as the machine has.
  void rises(const std::string& rule, const std::string& prefix) {
    std::vector<Fs> times;
    for (int hops = 1; hops <= 4; ++hops) {
      const std::string name = fmt::format("{}-{}hop", prefix, hops);
      if (missing({name}).empty()) times.push_back(time_of(name));
    }
    ProbeCheck check{rule, Verdict::skipped, "fewer than two cases were measured"};
    if (times.size() >= 2) {
      check.verdict = std::adjacent_find(times.begin(), times.end(),
                                         [](Fs a, Fs b) { return a >= b; }) == times.end()
                          ? Verdict::pass
                          : Verdict::fail;
      check.detail.clear();
      for (const Fs t : times)
        check.detail += fmt::format("{}{:.3f} ns", check.detail.empty() ? "" : ", ", to_ns(t));
    }
    checks_.push_back(check);
  }

  void reads_not_below_writes(const std::string& rule) {
    ProbeCheck check{rule, Verdict::skipped, ""};
    for (int hops = 1; hops <= 4; ++hops) {
      const std::string read = fmt::format("d2h-{}hop", hops);
      const std::string write = fmt::format("h2d-{}hop", hops);
      if (!missing({read, write}).empty()) continue;
      const bool holds = time_of(read) >= time_of(write);
      if (check.verdict != Verdict::fail) check.verdict = holds ? Verdict::pass : Verdict::fail;
      check.detail += fmt::format("{}{} {} {:.3f} ns", check.detail.empty() ? "" : ", ", hops,
                                  hops == 1 ? "hop" : "hops", to_ns(time_of(read)));
      check.detail += fmt::format(" {} {:.3f} ns", holds ? ">=" : "<", to_ns(time_of(write)));
    }
    if (check.verdict == Verdict::skipped)
      check.detail = "no number of hops was measured both ways";
    checks_.push_back(check);
  }

  void not_below_formula(const std::string& rule) {
    std::size_t points = 0;
    std::string below;
    for (const ProbeOutcome& outcome : outcomes_) {
      for (const ProbePoint& point : outcome.points) {
        ++points;
        if (point.beyond_formula() >= 0) continue;
        below += fmt::format("{}{} at {} bytes: {:.6f} ns, formula {:.6f} ns",
                             below.empty() ? "" : "; ", outcome.probe.name, point.bytes,
                             to_ns(point.actual), to_ns(point.bound.total()));
      }
    }
    if (points == 0) {
      checks_.push_back({rule, Verdict::skipped, "nothing was measured"});
    } else {
      checks_.push_back({rule, below.empty() ? Verdict::pass : Verdict::fail,
                         below.empty() ? fmt::format("{} measurements", points) : below});
    }
  }

  std::vector<ProbeCheck> take() { return std::move(checks_); }

 private:
  // Reason why one of the cases has no time; "" if all have one.
  std::string missing(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      const ProbeOutcome* outcome = find(outcomes_, name);
      if (outcome == nullptr) return name + " was not asked for";
      if (outcome->points.empty())
        return fmt::format("{} is not available: {}", name, outcome->probe.unavailable);
    }
    return "";
  }
  Fs time_of(const std::string& name) const {
    return find(outcomes_, name)->at(probe_bytes).actual;
  }

  const std::vector<ProbeOutcome>& outcomes_;
  std::vector<ProbeCheck> checks_;
};

}  // namespace

const char* name_of(Verdict verdict) {
  constexpr std::array<const char*, 3> names{"pass", "fail", "skipped"};
  return names.at(static_cast<std::size_t>(verdict));
}

std::vector<ProbeCheck> check_probes(const std::vector<ProbeOutcome>& outcomes) {
  Checker checker(outcomes);
  checker.rises("H2D rises with hops", "h2d");
  checker.rises("D2H rises with hops", "d2h");
  checker.reads_not_below_writes("D2H >= H2D");
  checker.order("local <= same half", "pe-local-hbm", "pe-same-half-hbm", false);
  checker.order("same half <= cross half", "pe-same-half-hbm", "pe-cross-half-hbm", false);
  checker.order("cross half <= cross-cube best", "pe-cross-half-hbm", "pe-cross-cube-hbm-best",
                false);
  checker.order("cross-cube best < worst", "pe-cross-cube-hbm-best", "pe-cross-cube-hbm-worst",
                true);
  checker.order("cross-cube best <= cross-SIP", "pe-cross-cube-hbm-best", "pe-cross-sip-hbm",
                false);
  checker.not_below_formula("simulated >= formula");
  return checker.take();
}

std::string checks_text(const std::vector<ProbeCheck>& checks) {
  constexpr std::array<const char*, 3> marks{"[v] PASS", "[x] FAIL", "[-] SKIP"};
  std::string text;
  for (const ProbeCheck& check : checks)
    text += fmt::format("{}  {}: {}\n", marks.at(static_cast<std::size_t>(check.verdict)),
                        check.rule, check.detail);
  return text;
}

}  // namespace kernbench
