// Debugging calls of kernels: device_print, device_assert.
#include <fmt/format.h>

#include <cctype>

#include "models/base/errors.h"
#include "models/data/device_message.h"
#include "models/data/functional_model.h"
#include "sw/tl/program.h"

namespace kernbench::tl {
namespace {

enum class Known : std::uint8_t { now, later, never };

Known when_known(const FunctionalModel* data, bool has_index, const ByteImage& image) {
  if (has_index) return Known::now;
  if (data == nullptr) return Known::never;
  return data->known(image) ? Known::now : Known::later;
}

// Separates a prefix such as "x" from the value, as Triton does; "x = " is unchanged.
std::string set_apart(const std::string& prefix) {
  const bool is_word = !prefix.empty() && std::isalnum(static_cast<unsigned char>(prefix.back()));
  return is_word ? prefix + ": " : prefix;
}

}  // namespace

void Program::device_print(const std::string& given, const Handle& x, CallSite site) {
  const std::string prefix = set_apart(given);
  context_.calling("device_print", site);
  const Handle::State& state = operand("tl.device_print", x);
  const std::string& kernel = context_.launch().kernel.name;
  switch (when_known(data_, state.index != nullptr, state.value.image)) {
    case Known::now:
      return context_.print(fmt::format(
          "kernel '{}': {}{}", kernel, prefix,
          values_text(x.shape(), x.dtype(),
                      state.index ? std::vector<double>(state.index->begin(), state.index->end())
                                  : x.data())));
    case Known::later:
      return data_->add_message({DeviceMessage::Kind::print, context_.now(), who_,
                                 context_.where().str(), kernel, prefix, state.value});
    case Known::never:
      return context_.print(fmt::format(
          "kernel '{}': {}{}: no values, this run has no data; use --data deferred or eager",
          kernel, prefix, x.str()));
  }
}

void Program::device_assert(const Handle& condition, const std::string& message, CallSite site) {
  context_.calling("device_assert", site);
  const Handle::State& state = operand("tl.device_assert", condition);
  const std::string& kernel = context_.launch().kernel.name;
  switch (when_known(data_, state.index != nullptr, state.value.image)) {
    case Known::now: {
      const std::vector<double> values =
          state.index ? std::vector<double>(state.index->begin(), state.index->end())
                      : condition.data();
      if (const auto failure =
              failed_elements(message, condition.shape(), condition.dtype(), values))
        throw DeviceAssertError("tl.device_assert: " + failure->text);
      return;
    }
    case Known::later:
      return data_->add_message({DeviceMessage::Kind::assertion, context_.now(), who_,
                                 context_.where().str(), kernel, message, state.value, site});
    case Known::never:
      if (!told_unchecked_)
        context_.print(
            fmt::format("kernel '{}': tl.device_assert is not checked, this run has no "
                        "data; use --data deferred or eager",
                        kernel));
      told_unchecked_ = true;
  }
}

void Program::static_assert_(bool condition, const std::string& message, CallSite site) {
  if (!condition) throw UsageError("tl.static_assert_" + site.in_brackets() + ": " + message);
}

void Program::assume(bool condition, CallSite site) {
  if (!condition) throw UsageError("tl.assume" + site.in_brackets() + ": it is not so");
}

}  // namespace kernbench::tl
