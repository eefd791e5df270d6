// What an operation log tells at first sight: what ran, what was busy, what took long, what was
// waited for, and what makes up the longest launch.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/inspect/op_log_reader.h"
#include "platform/report/table.h"

namespace kernbench {

// Of each launch, in the order of issue: its PEs, the first start and the last end of a kernel.
Table launches_table(const OpLogReader& log);
// What the threads of kernels were blocked on, together.
Table waits_table(const OpLogReader& log);
// Senders whose messages were waited for, the longest first; at most `most`.
Table senders_table(const OpLogReader& log, std::size_t most);

// `most`: rows of operations and senders.
std::string summary_text(const OpLogReader& log, std::size_t most);
nlohmann::ordered_json summary_json(const OpLogReader& log, std::size_t most);

}  // namespace kernbench
