// Router mesh of a cube, laid out from its geometry (spec 2.9, ADR-0053 D3).
//
// Columns are at the x of all PEs, with relay columns where a gap exceeds 3 mm. Rows:
// ceil(max(n_connections, 2) / 2) PE rows in the upper half, two HBM rows, as many PE rows in the
// lower half. The HBM zone is the HBM rows times the two middle columns; it has no routers. The
// outermost columns are never part of the zone, so it cannot cut the mesh in two. Interpolated
// coordinates (relay columns, PE rows) are rounded to a micrometre: every length is a decimal.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/machine_spec.h"

namespace kernbench {

struct MeshPoint {
  int row = 0, col = 0;
  friend bool operator==(const MeshPoint& a, const MeshPoint& b) {
    return a.row == b.row && a.col == b.col;
  }
  friend bool operator!=(const MeshPoint& a, const MeshPoint& b) { return !(a == b); }
  friend bool operator<(const MeshPoint& a, const MeshPoint& b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
  }
};

inline constexpr std::string_view ucie_sides = "NSEW";

struct CubeMesh {
  std::vector<Rational> col_x_mm, row_y_mm;
  MeshPoint zone_first{0, 0},
      zone_last{-1, -1};      // corners of the HBM zone, inclusive; empty if last < first
  std::vector<MeshPoint> pe;  // router of PE p: its dma, cpu, mmu and HBM partition
  MeshPoint m_cpu, sram;
  std::array<std::vector<MeshPoint>, 4> ucie;  // [index in ucie_sides][connection]

  int rows() const { return static_cast<int>(row_y_mm.size()); }
  int cols() const { return static_cast<int>(col_x_mm.size()); }
  bool in_zone(MeshPoint at) const {
    return at.row >= zone_first.row && at.row <= zone_last.row && at.col >= zone_first.col &&
           at.col <= zone_last.col;
  }
  bool has_router(MeshPoint at) const {
    return at.row >= 0 && at.row < rows() && at.col >= 0 && at.col < cols() && !in_zone(at);
  }
  int routers() const;
};

// Requires a geometry that passes `mesh_faults`.
CubeMesh generate_mesh(const CubeSpec& cube);

// Reason why a geometry cannot be laid out (PEs or rows outside the cube); empty if it is valid.
struct MeshFault {
  const Rational* length;  // faulty member of the CubeSpec
  std::string message;
};
std::vector<MeshFault> mesh_faults(const CubeSpec& cube);

// cube_mesh.yaml: generated layout of a cube, stored next to the topology file for users and tools.
//
// The program never reads the mesh back: laying it out takes microseconds, so a stale, damaged or
// edited file does no harm. The file is written atomically when its text differs from the one
// generated from the configuration. A directory that cannot be written is not an error.

// Hash (16 hex digits) of the inputs of the layout: geometry, pe_layout, ucie.n_connections,
// hbm_mapping_mode, placement.
std::string mesh_source_hash(const CubeSpec& cube);
std::string mesh_file_text(const CubeSpec& cube, const CubeMesh& mesh);
std::filesystem::path mesh_file_next_to(const std::filesystem::path& topology);

enum class MeshFile : std::uint8_t { current, written, not_writable };
MeshFile keep_mesh_file(const std::filesystem::path& path, const CubeSpec& cube,
                        const CubeMesh& mesh);

}  // namespace kernbench
