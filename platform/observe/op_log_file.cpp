#include "platform/observe/op_log_file.h"

#include <systemc>

namespace kernbench {

void write_op_log(std::ostream& out, const OpLog& log) {
  log.write_csv(out, [](const sc_core::sc_object* node) { return std::string(node->name()); });
}

}  // namespace kernbench
