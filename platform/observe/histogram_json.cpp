#include "platform/observe/histogram_json.h"

#include "platform/output/json_text.h"

namespace kernbench {

nlohmann::ordered_json histogram_json(const Histogram& histogram) {
  nlohmann::ordered_json json;
  const bool any = histogram.count() > 0;
  json["count"] = histogram.count();
  json["total_ns"] = ns_json(histogram.sum());
  json["min_ns"] = ns_json(any ? histogram.lowest() : 0);
  json["mean_ns"] = histogram.mean() / fs_per_ns;
  json["p50_ns"] = ns_json(histogram.percentile(0.50));
  json["p90_ns"] = ns_json(histogram.percentile(0.90));
  json["p99_ns"] = ns_json(histogram.percentile(0.99));
  json["max_ns"] = ns_json(histogram.highest());
  json["buckets"] = nlohmann::ordered_json::array();
  for (const auto& [first, count] : histogram.buckets())
    json["buckets"].push_back({ns_json(first), count});
  return json;
}

}  // namespace kernbench
