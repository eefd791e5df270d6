#include "platform/report/operation_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <systemc>

#include "platform/assembly/machine_root.h"

namespace kernbench {

std::string part_of_operation(const std::string& engine, const std::string& operation) {
  if (engine == "pe_gemm") return "gemm";
  if (engine == "pe_math") return "math";
  std::string part = operation.compare(0, 5, "tile/") == 0 ? operation.substr(5) : operation;
  for (char& c : part) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return part;
}

const OperationName& OperationNames::of(const ExecutedOp& op) {
  const auto [found, is_new] = names_.try_emplace({op.node, op.name});
  OperationName& name = found->second;
  if (!is_new) return name;
  name.place = names_.size() - 1;
  if (op.node != nullptr) {
    name.node = name_in_machine(*op.node);
    name.pe = scope_in_machine(*op.node);
    name.engine = op.node->basename();
  }
  name.name = op.name;
  name.part = part_of_operation(name.engine, name.name);
  name.span = name.engine == "pe_scheduler" || name.engine == "pe_ipcq";
  return name;
}

std::string scope_of(const std::string& node) {
  const std::size_t dot = node.rfind('.');
  return dot == std::string::npos ? "" : node.substr(0, dot);
}

int order_of(const std::string& part) {
  constexpr std::array<const char*, 8> stages{"kernel", "composite", "dma_read", "fetch",
                                              "gemm",   "math",      "store",    "dma_write"};
  return static_cast<int>(std::find(stages.begin(), stages.end(), part) - stages.begin());
}

}  // namespace kernbench
