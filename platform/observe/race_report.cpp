#include "platform/observe/race_report.h"

#include "models/data/functional_model.h"
#include "models/data/race_detector.h"

namespace kernbench {

std::optional<RaceReport> race_report(const FunctionalModel& data) {
  const RaceDetector* races = data.races();
  if (races == nullptr) return std::nullopt;
  RaceReport report;
  report.pairs = races->pairs();
  for (const Race& race : races->races()) report.texts.push_back(race.text());
  return report;
}

}  // namespace kernbench
