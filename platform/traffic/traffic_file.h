// CSV file of requests: `at_ns,initiator,op,target,offset,bytes` (spec 10.2). Streamed: memory does
// not grow with the file.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "platform/assembly/platform.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {

class TrafficFile final : public TrafficSource {
 public:
  // Opens the file and reads its header. Throws UsageError if it cannot be read twice (a pipe,
  // standard input) or if the header differs from the above.
  TrafficFile(std::string path, Platform& platform);

  // Reads the whole file, then rewinds. Throws UsageError with file:line of the first faults (at
  // most 20 are listed), including requests without a route, or if there is no row at all. Returns
  // the number of rows.
  std::uint64_t check();

  bool next(TrafficRequest& request) override;

 private:
  static constexpr std::size_t columns = 6;

  bool read_line();
  void start_over();
  void parse(TrafficRequest& request);
  void check_route(const TrafficRequest& request);
  NodeId node_of(std::string_view name, const char* role);

  std::string path_;
  Platform& platform_;
  std::ifstream file_;
  std::string line_;
  std::uint64_t line_number_ = 0;
  std::uint32_t row_ = 0;
  Fs previous_ = 0;
  std::string last_name_[2];  // consecutive rows often have the same names
  NodeId last_node_[2] = {no_node, no_node};
  NodeId routed_[2] = {no_node, no_node};
};

}  // namespace kernbench
