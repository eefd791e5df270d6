#include "platform/traffic/traffic_rows.h"

#include <fmt/format.h>

namespace kernbench {

std::string fixed_ns(Fs t) { return fmt::format("{}.{:06}", t / fs_per_ns, t % fs_per_ns); }

std::string path_text(Platform& platform, NodeId initiator, NodeId target) {
  std::string text;
  for (const PathHop& hop : platform.routes().memory_path(initiator, target).hops()) {
    if (!text.empty()) text += '>';
    text += platform.machine().name(hop.node);
  }
  return text;
}

TrafficRows::TrafficRows(Platform& platform, std::ostream& out, Format format, bool parts)
    : platform_(platform), out_(out), format_(format), parts_(parts) {}

void TrafficRows::begin() {
  if (format_ == Format::json) out_ << "{\"requests\": [";
  if (format_ != Format::csv) return;
  out_ << "id,issue_ns,grant_ns,end_ns,latency_ns,bytes,path";
  for (std::size_t i = 0; parts_ && i < latency_part_count; ++i)
    out_ << ',' << name_of(static_cast<LatencyPart>(i)) << "_ns";
  out_ << '\n';
}

void TrafficRows::row(const TrafficResult& result, const LatencyParts& parts) {
  if (format_ == Format::none) return;
  const TrafficRequest& request = result.request;
  const std::string path = path_text(platform_, request.initiator, request.target);
  const bool csv = format_ == Format::csv;
  const char* const form = csv ? "{},{},{},{},{},{},{}"
                               : "\n  {{\"id\": {}, \"issue_ns\": {}, \"grant_ns\": {}, "
                                 "\"end_ns\": {}, \"latency_ns\": {}, "
                                 "\"bytes\": {}, \"path\": \"{}\"";
  if (!csv && !first_) out_ << ',';
  first_ = false;
  out_ << fmt::format(fmt::runtime(form), request.id, fixed_ns(request.issue),
                      fixed_ns(result.grant), fixed_ns(result.end), fixed_ns(result.latency()),
                      request.bytes, path);
  for (std::size_t i = 0; parts_ && i < latency_part_count; ++i) {
    const auto part = static_cast<LatencyPart>(i);
    if (csv) {
      out_ << ',' << fixed_ns(parts[part]);
    } else {
      out_ << ", \"" << name_of(part) << "_ns\": " << fixed_ns(parts[part]);
    }
  }
  out_ << (csv ? "\n" : "}");
}

void TrafficRows::end() {
  if (format_ == Format::json) out_ << "\n]";
}

}  // namespace kernbench
