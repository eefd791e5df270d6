// Barriers of a ProcessGroup: ranks that synchronise on the host.
#include <fmt/format.h>

#include <algorithm>

#include "sw/distributed/process_group.h"

namespace kernbench {

void ProcessGroup::meet(OrderedCall& call, const std::function<void()>& last) {
  const int expected = ranks_.size;
  if (++call.met == expected) {
    last();
    call.open = true;
    call.opened.notify(sc_core::SC_ZERO_TIME);
  }
  while (!call.open && !call.refused)
    state_.runtime.link.port().wait(
        call.opened, fmt::format("{} more of {} ranks to reach {}{}", expected - call.met, expected,
                                 call.what, in_group()));
  if (call.refused) std::rethrow_exception(call.refused);
}

void ProcessGroup::barrier(Worker& worker, int rank) {
  worker.wait_for_begun_and_those_of(this);
  OrderedCall& call = order_.join(rank, "barrier");
  worker.release(call.passed);
  meet(call, [] {});
  worker.acquire(call.passed);
}

void ProcessGroup::monitored_barrier(Worker& worker, int rank, Fs timeout, bool names_all) {
  OrderedCall& call = order_.join(rank, "monitored_barrier");
  worker.release(call.passed);
  HostPort& port = state_.runtime.link.port();
  const Fs deadline = timeout < never_fs - port.now() ? port.now() + timeout : never_fs;
  if (call.reached.size() == members_.size()) {
    call.open = true;
    call.opened.notify(sc_core::SC_ZERO_TIME);
  }
  while (!call.open && !call.refused) {
    if (port.wait_until(call.opened, deadline,
                        "all ranks to reach monitored_barrier" + in_group()) ||
        call.open || call.refused)
      continue;
    std::vector<int> missing;
    for (const int each : members_) {
      if (std::find(call.reached.begin(), call.reached.end(), each) == call.reached.end())
        missing.push_back(each);
    }
    if (!names_all) missing.resize(1);
    call.refuse(std::make_exception_ptr(
        TimeoutError(fmt::format("monitored_barrier{}: after {} not reached by {}", in_group(),
                                 format_ns(timeout), text_of_ranks(missing)))));
  }
  if (call.refused) std::rethrow_exception(call.refused);
  worker.acquire(call.passed);
}

}  // namespace kernbench
