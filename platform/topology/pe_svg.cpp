// PE view: all engines have the same coordinates in the cube, so they have fixed places here:
// control above, engines in a row, memories and translation below, ports to the outside at the
// bottom.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/config/known_attributes.h"
#include "platform/topology/diagram_layout.h"
#include "platform/topology/diagram_painter.h"

namespace kernbench {
namespace {

constexpr double column = 232, row = 150, block_w = 180, block_h = 78;

// Place of a block in columns and rows, and its width in additional columns.
struct Place {
  double at_column, at_row, wider;
};
const std::map<std::string, Place, std::less<>>& places() {
  static const std::map<std::string, Place, std::less<>> all{
      {"pe_cpu", {0, 0, 0}},  {"pe_scheduler", {1, 0, 3}},   {"pe_ipcq", {0, 1, 0}},
      {"pe_dma", {1, 1, 0}},  {"pe_fetch_store", {2, 1, 0}}, {"pe_gemm", {3, 1, 0}},
      {"pe_math", {4, 1, 0}}, {"pe_mmu", {0, 2, 0}},         {"pe_tcm", {1.25, 2, 0.75}},
      {"router", {0, 3, 1}},  {"hbm_ctrl", {2, 3, 1}}};
  return all;
}

Box box_of(const std::string& id) {
  const Place& place = places().at(id);
  return {place.at_column * column, place.at_row * row, block_w + place.wider * column, block_h};
}

// Capability of an engine, as far as its implementation declares it.
struct Fact {
  const char* engine;
  const char* attribute;
  const char* format;
};
constexpr std::array facts{
    Fact{"pe_cpu", "clock_ghz", "{} GHz"},
    Fact{"pe_gemm", "macs_per_cycle", "{} MAC/cycle"},
    Fact{"pe_gemm", "clock_ghz", "{} GHz"},
    Fact{"pe_math", "lanes", "{} lanes"},
    Fact{"pe_math", "clock_ghz", "{} GHz"},
    Fact{"pe_tcm", "size_mb", "{} MiB"},
    Fact{"pe_tcm", "read_bw_gbs", "{} GB/s read"},
    Fact{"pe_tcm", "write_bw_gbs", "{} GB/s write"},
    Fact{"pe_mmu", "page_bytes", "{} B pages"},
    Fact{"pe_ipcq", "queue_pairs", "{} queue pairs"},
    Fact{"pe_fetch_store", "register_file_bytes", "{} B registers"},
    Fact{"pe_dma", "rd_engines", "{} read"},
    Fact{"pe_dma", "wr_engines", "{} write"},
    Fact{"hbm_ctrl", "num_pcs", "{} channels"},
};

class PePainter {
 public:
  PePainter(const Graph& graph, const Diagram& diagram, const Utilisation* heat)
      : graph_(graph), diagram_(diagram), painter_(graph, diagram, heat) {}

  DiagramPicture paint() {
    for (std::size_t i = 0; i < diagram_.links.size(); ++i) painter_.link(i, way_of(i));
    for (std::size_t i = 0; i < diagram_.blocks.size(); ++i)
      painter_.block(i, box_of(diagram_.blocks[i].id), lines_of(i), {});
    return painter_.finish(0, {});
  }

 private:
  // True for a MAC array with the timing of its cells.
  static bool is_array(const Attributes& attributes) {
    return value_in<std::string>(attributes, "timing") == "systolic";
  }
  std::vector<std::string> lines_of(std::size_t index) const {
    const DiagramBlock& block = diagram_.blocks[index];
    const Attributes& attributes = graph_.node(block.nodes.front()).attributes();
    std::string text;
    for (const Fact& fact : facts) {
      const auto& values = attributes.values();
      const auto found = values.find(fact.attribute);
      if (block.id != fact.engine || found == values.end()) continue;
      if (!text.empty()) text += ", ";
      text += is_array(attributes) && fact.attribute == std::string_view("macs_per_cycle")
                  ? fmt::format("{} x {} MAC/cycle", attributes.integer("rows"),
                                attributes.integer("columns"))
                  : fmt::format(fmt::runtime(fact.format), format_value(found->second));
    }
    std::vector<std::string> lines = painter_.lines_of(index);
    if (!text.empty()) lines.insert(lines.begin() + 1, text);
    return lines;
  }

  // Path around other blocks where the straight line is obstructed; else straight.
  std::vector<Point> way_of(std::size_t index) const {
    const DiagramLink& link = diagram_.links[index];
    const std::string& a = diagram_.blocks[link.a].id;
    const std::string& b = diagram_.blocks[link.b].id;
    const Box from = box_of(a), to = box_of(b);
    const Box cpu = box_of("pe_cpu"), mmu = box_of("pe_mmu"), router = box_of("router");
    if (a == "pe_fetch_store" && b == "pe_math") {  // below pe_gemm
      const double y = from.bottom() + 26;
      return {{from.right() - 24, from.bottom()},
              {from.right() - 24, y},
              {to.x + 24, y},
              {to.x + 24, to.bottom()}};
    }
    if (a == "pe_cpu" && b == "pe_mmu") {  // left of pe_ipcq
      return {{cpu.x, cpu.y + 0.7 * cpu.h},
              {-28, cpu.y + 0.7 * cpu.h},
              {-28, mmu.middle().y},
              {mmu.x, mmu.middle().y}};
    }
    if (a == "pe_cpu" && b == "router") {  // left of that
      return {{cpu.x, cpu.y + 0.35 * cpu.h},
              {-56, cpu.y + 0.35 * cpu.h},
              {-56, router.middle().y},
              {router.x, router.middle().y}};
    }
    if (a == "pe_dma" && b == "router") {  // between pe_mmu and pe_tcm
      const double x = from.x + 24;
      return {{x, from.bottom()}, {x, to.y}};
    }
    if (a == "pe_dma" && b == "pe_mmu") {
      const double x = to.right() - 24, y = (from.bottom() + to.y) / 2;
      return {{from.x + 8, from.bottom()}, {from.x + 8, y}, {x, y}, {x, to.y}};
    }
    if (a == "pe_ipcq" && b == "pe_scheduler") {
      const double x = from.right() - 24, y = (from.y + to.bottom()) / 2;
      return {{x, from.y}, {x, y}, {to.x + 10, y}, {to.x + 10, to.bottom()}};
    }
    return straight(from, to);
  }

  static std::vector<Point> straight(const Box& a, const Box& b) {
    const double low_x = std::max(a.x, b.x), high_x = std::min(a.right(), b.right());
    const double low_y = std::max(a.y, b.y), high_y = std::min(a.bottom(), b.bottom());
    if (low_x < high_x) {
      const double x = (low_x + high_x) / 2;
      const bool down = a.y < b.y;
      return {{x, down ? a.bottom() : a.y}, {x, down ? b.y : b.bottom()}};
    }
    if (low_y < high_y) {
      const double y = (low_y + high_y) / 2;
      const bool right = a.x < b.x;
      return {{right ? a.right() : a.x, y}, {right ? b.x : b.right(), y}};
    }
    return {a.middle(), {b.middle().x, a.middle().y}, b.middle()};
  }

  const Graph& graph_;
  const Diagram& diagram_;
  DiagramPainter painter_;
};

}  // namespace

DiagramPicture pe_picture(const Graph& graph, const Diagram& diagram, const Utilisation* heat) {
  return PePainter(graph, diagram, heat).paint();
}

}  // namespace kernbench
