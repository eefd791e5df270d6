#include "sw/tl/handle.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/elements.h"
#include "models/data/functional_model.h"
#include "sw/tl/dtypes.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

void Handle::refuse(CallSite site) const {
  if (!state_) throw UsageError("a tl handle is used before it is made" + site.in_brackets());
  throw UsageError("a tl handle is used after its kernel has ended" + site.in_brackets() +
                   "; store what is to remain");
}

bool Handle::done() const {
  const State& s = state();
  return s.producer == nullptr || s.producer->poll();
}

std::string Handle::str() const { return describe(dtype(), shape()); }

std::vector<std::byte> Handle::bytes(CallSite site) const {
  const State& s = state(site);
  const std::string at = site.known() ? " at " + site.str() : "";
  if (s.ptr)
    throw UsageError(fmt::format(
        "values of the reference {} are read{}; tl.load makes a block of them", s.ptr->str(), at));
  if (s.data == nullptr)
    throw UsageError(fmt::format(
        "values of {} are read{}, and this run has no data; use --data deferred or eager", str(),
        at));
  if (const auto* entry = s.program->unwaited(s.producer); entry != nullptr && !entry->reads_wait) {
    throw UsageError(fmt::format("values of {}, which {}{} makes, are read{}; tl.wait for it first",
                                 str(), entry->call, entry->site.in_brackets(), at));
  }
  s.program->await(s);  // simulated time, as for any use of the result
  if (!s.data->known(s.value.image)) {
    throw PendingDataError(fmt::format(
        "values of {} are read{}, but a compute result is pending until phase 2 has run; keep it "
        "as a handle or store it and check it with torch.verify, or run with --data eager",
        str(), at));
  }
  return s.data->bytes(s.value);
}

std::vector<double> Handle::data(CallSite site) const {
  const std::vector<std::byte> raw = bytes(site);
  const std::uint64_t size = size_of(dtype());
  std::vector<double> values(raw.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = read_element(raw.data() + i * size, dtype());
  return values;
}

double Handle::at(const std::vector<std::int64_t>& index, CallSite site) const {
  const Shape& extents = shape();
  if (index.size() != extents.rank())
    throw UsageError(fmt::format("element of {}: {} indices given", str(), index.size()));
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    if (index[axis] < 0 || index[axis] >= extents[axis]) {
      throw UsageError(fmt::format("element of {}: index {} on axis {}", str(), index[axis], axis));
    }
    flat = flat * extents[axis] + index[axis];
  }
  return data(site)[static_cast<std::size_t>(flat)];
}

double Handle::item(CallSite site) const {
  if (shape().elements() != 1)
    throw UsageError(
        fmt::format("the value of {} is requested; only a block of one element has one", str()));
  return data(site).front();
}

Handle Handle::to(DType dtype, CallSite site) const {
  return program_of(*this, site).cast({*this, site}, dtype);
}

std::vector<std::int64_t> Handle::index_values(CallSite site) const {
  if (is_float(dtype()))
    throw UsageError(fmt::format("{} is used as an index block, which holds integers", str()));
  if (const State& s = state(); s.index) {
    s.program->await(s);
    return *s.index;
  }
  const std::vector<double> values = data(site);
  return {values.begin(), values.end()};
}

}  // namespace kernbench::tl
