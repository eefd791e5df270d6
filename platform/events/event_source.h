// EventSource: events of a run for reports. A machine in simulation (machine_events.h) and the
// playback of an operation log (op_log_player.h) write the same events.
//
// Events of the machine are those of its Observation. Rows, one type per table of the operation
// log, are written after them at the end of the run, but transfers, their hops and the work of
// launches in the course of it. A new kind of row needs a type with a table in run_rows.h and an
// entry in the list below.
#pragma once

#include <tuple>

#include "models/base/analysis_port.h"
#include "models/protocol/observation.h"
#include "platform/events/run_rows.h"

namespace kernbench {

// Analysis port per type of row.
template <class... Rows>
struct RowPorts {
  std::tuple<AnalysisPort<Rows>...> ports;
  // Calls visit.template table<Row>() for each, in the order of the list.
  template <class Visit>
  static void for_each_type(Visit& visit) {
    (visit.template table<Rows>(), ...);
  }
};

using RunRowPorts =
    RowPorts<PlaceRow, TransferRow, HopRow, ActivityRow, StatisticRow, LinkKindRow, ServerRow,
             WindowRow, ServerUseRow, LimitRow, LaunchWorkRow, EnergyRow, PowerRow>;

class EventSource {
 public:
  explicit EventSource(Observation& machine) : machine_(machine) {}
  virtual ~EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  Observation& observation() { return machine_; }
  template <class Row>
  AnalysisPort<Row>& rows() {
    return std::get<AnalysisPort<Row>>(row_ports_.ports);
  }

 private:
  Observation& machine_;
  RunRowPorts row_ports_;
};

// Rows of one type, in the order in which they were written.
template <class Row>
class CollectedRows final : private tlm::tlm_analysis_if<Row> {
 public:
  explicit CollectedRows(EventSource& events) : binding_(events.template rows<Row>(), *this) {}
  const std::vector<Row>& all() const { return rows_; }
  bool empty() const { return rows_.empty(); }

 private:
  void write(const Row& row) override { rows_.push_back(row); }

  std::vector<Row> rows_;
  AnalysisBinding<Row> binding_;
};

}  // namespace kernbench
