#include "models/pe/segment_control.h"

#include <fmt/format.h>

#include <memory>

#include "models/base/errors.h"

namespace kernbench {

void SegmentControl::serve(Fs now) {
  while (next_due() <= now) {
    Transaction& request = *messages_.front().transaction;
    messages_.pop_front();
    take(request);
  }
}

void SegmentControl::take(Transaction& request) {
  const Message* message = request.route().message.get();
  const auto response = std::make_shared<HostResponse>();
  try {
    if (const auto* install = dynamic_cast<const SegmentInstall*>(message)) {
      baaw_.install(*install);
    } else if (const auto* remove = dynamic_cast<const SegmentRemove*>(message)) {
      baaw_.remove(*remove);
    } else {
      throw ModelError("a message that is neither SegmentInstall nor SegmentRemove");
    }
  } catch (const ModelError&) {
    throw;
  } catch (const Error& fault) {
    response->completion = Completion::failure(
        "segment_error",
        fmt::format("{} at {}: {}", dma_.name(), format_ns(Component::now()), fault.what()));
  }
  request.route().message = response;
  request.route().make_response();
  dma_.send_message(request);
}

}  // namespace kernbench
