// Result rows of `traffic`, streamed in file order as CSV or as the elements of a JSON array.
#pragma once

#include <ostream>
#include <string>

#include "platform/assembly/platform.h"
#include "platform/observe/transfer_path.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {

// Exact decimal nanoseconds, always with six places: femtoseconds are kept, columns are aligned.
std::string fixed_ns(Fs t);

// Node names of the request's path, joined by '>'.
std::string path_text(Platform& platform, NodeId initiator, NodeId target);

class TrafficRows {
 public:
  enum class Format { none, csv, json };
  // With `parts`, every row has a column for each part of the latency, and row() receives them.
  TrafficRows(Platform& platform, std::ostream& out, Format format, bool parts = false);

  // "id,issue_ns,..." or the opening of {"requests": [
  void begin();
  void row(const TrafficResult& result, const LatencyParts& parts = {});
  // Closes the array; the caller closes the object.
  void end();

 private:
  Platform& platform_;
  std::ostream& out_;
  Format format_;
  bool parts_;
  bool first_ = true;
};

}  // namespace kernbench
