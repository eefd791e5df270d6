#include "platform/observe/leak_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/data/functional_model.h"
#include "models/data/race_detector.h"
#include "models/protocol/ipcq.h"
#include "platform/assembly/machine_root.h"

namespace kernbench {

namespace {

// Merges the leaks of a kernel on many PEs, or in many launches, into one line.
void add(std::vector<Leak>& list, Leak one, bool by_what) {
  const auto alike = [&](const Leak& each) {
    return each.kind == one.kind && each.kernel == one.kernel &&
           (!by_what || each.what == one.what);
  };
  const auto known = std::find_if(list.begin(), list.end(), alike);
  if (known == list.end())
    list.push_back(std::move(one));
  else
    ++known->count;
}

}  // namespace

std::string Leak::text() const {
  const std::string launch = request.empty() ? "" : fmt::format(" (launch {})", request);
  if (kind == Kind::command) {
    const std::string more =
        count == 1 ? "" : fmt::format("; {} kernels on PEs have left such commands", count);
    return fmt::format("kernel '{}' on {}{} has never waited for {}{}", kernel, where, launch, what,
                       more);
  }
  const std::string more = count == 1 ? "" : fmt::format("; {} messages in all", count);
  return fmt::format("kernel '{}' on {}{} has sent {} that was never received{}", kernel, where,
                     launch, what, more);
}

void LeakReport::write(const KernelRun& run) {
  if (*run.unwaited != '\0')
    add(commands_,
        {Leak::Kind::command, run.kernel, run.request, scope_in_machine(*run.node), run.unwaited,
         1},
        true);
  const auto sent = of_running_.find({run.node->get_parent_object(), run.stream});
  if (sent == of_running_.end()) return;
  for (const MessageKey& key : sent->second) {
    const auto found = messages_.find(key);
    if (found == messages_.end()) continue;
    found->second.kernel = run.kernel;
    found->second.request = run.request;
  }
  sent->second.clear();
}

void LeakReport::write(const MessageProgress& step) {
  const MessageKey key{step.installation, step.slot, step.number};
  if (step.step == MessageProgress::Step::consumed) messages_.erase(key);
  if (step.step != MessageProgress::Step::sent || step.message == nullptr) return;
  const IpcqMessage& message = *step.message;
  messages_[key] = {sent_++, "", "", message.source, message.destination, message.direction};
  of_running_[{step.node->get_parent_object(), step.stream}].push_back(key);
}

std::vector<Leak> LeakReport::leaks() const {
  std::map<std::uint64_t, const Message*> in_order;
  for (const auto& [key, message] : messages_) in_order[message.number] = &message;
  std::vector<Leak> list = commands_;
  for (const auto& [number, message] : in_order) {
    if (message->kernel.empty()) continue;  // its kernel has not ended
    add(list,
        {Leak::Kind::message, message->kernel, message->request, message->source.str(),
         fmt::format("a message in direction '{}' to {}", message->direction,
                     message->destination.str()),
         1},
        false);
  }
  return list;
}

std::optional<RaceReport> race_report(const FunctionalModel& data) {
  const RaceDetector* races = data.races();
  if (races == nullptr) return std::nullopt;
  RaceReport report;
  report.pairs = races->pairs();
  for (const Race& race : races->races()) report.texts.push_back(race.text());
  return report;
}

}  // namespace kernbench
