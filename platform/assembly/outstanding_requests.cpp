#include "platform/assembly/outstanding_requests.h"

#include <fmt/format.h>

#include <vector>

#include "models/protocol/host_messages.h"

namespace kernbench {
namespace {

// "the read of 64 bytes of sip0.cube0.pe0.pe_dma at sip0.cube0.sram", "the MmuMap of
// sip0.cube0.m_cpu to sip0.cube0.pe0.pe_mmu".
std::string request_text(const Transaction& transaction, const NodeName& name) {
  const Path& path = transaction.route().request_path();
  const std::string from = name(path.source()), to = name(path.target());
  if (transaction.is_read() || transaction.is_write())
    return fmt::format("the {} of {} bytes of {} at {}", access_name(transaction),
                       transaction.get_data_length(), from, to);
  const auto* message = dynamic_cast<const PeMessage*>(transaction.route().message.get());
  return fmt::format("the {} of {} to {}",
                     message == nullptr ? "control message" : message->type_name(), from, to);
}

std::string with_leg(const Transaction& transaction, const NodeName& name) {
  return (transaction.route().leg == Leg::request ? "" : "the answer to ") +
         request_text(transaction, name);
}

}  // namespace

std::string outstanding_transactions(const TransactionPool& pool, const NodeName& name) {
  constexpr std::size_t most = 20;
  const std::vector<const Transaction*> list = pool.in_flight();
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < most; ++i)
    text += fmt::format("\n  {}, issued at {}, is in flight", with_leg(*list[i], name),
                        format_ns(list[i]->route().key.issued));
  if (list.size() > most) text += fmt::format("\n  and {} more transactions", list.size() - most);
  return text + "\n  --check-protocol shows which component holds each request";
}

std::string outstanding_requests(const TransactionPool& pool, const NodeName& name,
                                 const ProtocolMonitors& monitors) {
  std::string text;
  for (const Transaction* transaction : pool.in_flight()) {
    const ProtocolMonitors::Holder holder = monitors.holder_of(*transaction);
    text += fmt::format("\n  {} holds {} since {}", name(holder.node), with_leg(*transaction, name),
                        format_ns(holder.since));
  }
  for (const std::string& line : monitors.held()) text += "\n  " + line;
  return text;
}

}  // namespace kernbench
