// LogColumn: a column of a table of the operation log, and the member of the row that it holds.
#pragma once

#include <cstdint>

namespace kernbench {

enum class ColumnUse : std::uint8_t {
  event,  // of the event that a log writes when it is played back
  time,   // the same, an instant: not before those of the columns of this use before it
  key,    // the same, primary key
  record  // for queries only
};

template <class Row, class Value>
struct LogColumn {
  const char* name;
  Value Row::*member;
  ColumnUse use = ColumnUse::event;
};
template <class Row, class Value>
LogColumn(const char*, Value Row::*, ColumnUse = ColumnUse::event) -> LogColumn<Row, Value>;

}  // namespace kernbench
