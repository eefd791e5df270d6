// Chrome's Trace Event Format, as a JSON array.
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/timeline/timeline_builder.h"

namespace kernbench::test {
namespace {

using Json = nlohmann::json;

// fs of a decimal of microseconds, as it is written.
std::uint64_t fs_of(const std::string& line) {
  const std::size_t at = line.find("\"ts\":");
  require(at != std::string::npos, "no ts", line);
  std::size_t end = at + 5;
  while (end < line.size() &&
         (std::isdigit(static_cast<unsigned char>(line[end])) != 0 || line[end] == '.'))
    ++end;
  const std::string text = line.substr(at + 5, end - at - 5);
  const std::size_t dot = text.find('.');
  std::string digits = dot == std::string::npos ? "" : text.substr(dot + 1);
  require(digits.size() <= 9, "finer than a femtosecond", line);
  digits.resize(9, '0');
  return std::stoull(text.substr(0, dot)) * 1'000'000'000 + std::stoull(digits);
}

std::map<std::string, std::string> arguments_of(const Json& event) {
  std::map<std::string, std::string> arguments;
  const Json given = event.value("args", Json::object());
  for (const auto& [key, value] : given.items())
    arguments[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return arguments;
}

class ChromeReader {
 public:
  void event(const std::string& line) {
    const Json json = Json::parse(line);
    for (const char* key : {"ph", "pid", "tid", "ts"})
      require(json.contains(key), std::string("no ") + key, line);
    const std::string phase = json.at("ph");
    const std::uint64_t pid = json.at("pid"), tid = json.at("tid"), time = fs_of(line);
    if (phase == "M") return metadata(json, pid, tid);
    require(processes_.count(pid) > 0, "a process without a name", line);
    require(phase == "E" || json.contains("name"), "no name", line);
    if (phase == "C") {
      const Json& args = json.at("args");
      require(args.size() == 1 && args.begin()->is_number(), "a counter is one number", line);
      return builder.point(json.at("name"), time, args.begin()->get<double>());
    }
    require(threads_.count(tid) > 0 && threads_.at(tid).first == pid, "a thread without a name",
            line);
    if (phase == "B") {
      if (json.at("cat") == "flow") return static_cast<void>(builder.mark(tid));
      require(time >= builder.last_end(tid), "begins before the last one has ended", line);
      builder.begin(tid, {processes_.at(pid), threads_.at(tid).second, json.at("name"),
                          json.at("cat"), time, 0, arguments_of(json), false});
    } else if (phase == "E") {
      const std::size_t ended = builder.end(tid, time);
      for (auto& [key, value] : arguments_of(json))
        builder.read.slices.at(ended).arguments[key] = value;
    } else {
      flow(json, phase, tid, line);
    }
  }

  TimelineBuilder builder{1};
  std::set<std::uint64_t> ended_flows;

 private:
  void metadata(const Json& json, std::uint64_t pid, std::uint64_t tid) {
    const std::string what = json.at("name");
    const Json& args = json.at("args");
    if (what == "process_name") processes_[pid] = args.at("name");
    if (what == "thread_name") threads_[tid] = {pid, args.at("name")};
    if (what == "process_sort_index")
      builder.read.order[processes_.at(pid)] = args.at("sort_index");
    if (what == "thread_sort_index")
      builder.read.order[threads_.at(tid).second] = args.at("sort_index");
  }
  // s begins an arrow, t goes on, f with "bp": "e" ends at the enclosing slice.
  void flow(const Json& json, const std::string& phase, std::uint64_t tid,
            const std::string& line) {
    require(phase == "s" || phase == "t" || phase == "f", "an unknown phase", line);
    const std::size_t slice = builder.open_on(tid);
    require(slice != TimelineBuilder::none, "an arrow without a slice", line);
    ReadFlow& points = builder.read.flows[json.at("id").get<std::uint64_t>()];
    require(points.empty() == (phase == "s"), "an arrow begins once, with s", line);
    require(phase == "s" || json.value("bp", "") == "e", "binds to the next slice", line);
    require(ended_flows.count(json.at("id")) == 0, "goes on behind its end", line);
    if (phase == "f") ended_flows.insert(json.at("id").get<std::uint64_t>());
    points.push_back(slice);
  }

  std::map<std::uint64_t, std::string> processes_;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> threads_;
};

}  // namespace

ReadTimeline read_chrome_timeline(const std::string& text, bool truncated) {
  ChromeReader reader;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  require(line == "[", "no array", line);
  bool closed = false;
  while (std::getline(lines, line)) {
    if (line == "]") {
      closed = true;
      break;
    }
    if (lines.eof() && truncated) break;
    if (!line.empty() && line.back() == ',') line.pop_back();
    reader.event(line);
  }
  if (!truncated) {
    require(closed && Json::parse(text).is_array(), "no end", line);
    reader.builder.check_all_ended();
  }
  return std::move(reader.builder.read);
}

}  // namespace kernbench::test
