#include "platform/topology/cube_mesh.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace kernbench {
namespace {

const Rational margin_mm =
    Rational::fraction(3, 2);  // PE to cube edge, HBM row to middle, PE row to HBM row
const Rational largest_gap_mm = Rational(3);  // between two columns

Rational to_micrometre(const Rational& mm) {
  return Rational::fraction(static_cast<Rational::Int>((mm * Rational(1000)).round_half_up()),
                            1000);
}

bool is_east(const std::string& corner) { return corner == "NE" || corner == "SE"; }

// x of PE k of a corner, counted from west to east.
Rational pe_x(const CubeSpec& cube, const std::string& corner, int k) {
  const int from_corner = is_east(corner) ? cube.pe_layout.pe_per_corner - 1 - k : k;
  const Rational offset = cube.pe_layout.pitch_mm * Rational(from_corner);
  return is_east(corner) ? cube.w_mm - margin_mm - offset : margin_mm + offset;
}

std::vector<Rational> pe_columns(const CubeSpec& cube) {
  std::vector<Rational> xs;
  for (const std::string& corner : cube.pe_layout.corners) {
    for (int k = 0; k < cube.pe_layout.pe_per_corner; ++k) xs.push_back(pe_x(cube, corner, k));
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  return xs;
}

std::vector<Rational> with_relays(const std::vector<Rational>& xs) {
  std::vector<Rational> all;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    all.push_back(xs[i]);
    if (i + 1 == xs.size()) break;
    const Rational gap = xs[i + 1] - xs[i];
    const Rational ratio = gap / largest_gap_mm;
    const Rational::Int pieces = (ratio.num() + ratio.den() - 1) / ratio.den();
    for (Rational::Int k = 1; k < pieces; ++k)
      all.push_back(to_micrometre(xs[i] + gap * Rational::fraction(k, pieces)));
  }
  return all;
}

int rows_per_half(const CubeSpec& cube) { return (std::max(cube.ucie_connections, 2) + 1) / 2; }

// `count` rows from `first` to `last`; a single row is at `first`.
void append_rows(std::vector<Rational>& rows, const Rational& first, const Rational& last,
                 int count) {
  for (int i = 0; i < count; ++i) {
    rows.push_back(i == 0 ? first
                   : i == count - 1
                       ? last
                       : to_micrometre(first + (last - first) * Rational::fraction(i, count - 1)));
  }
}

int column_of(const CubeMesh& mesh, const Rational& x) {
  return static_cast<int>(std::lower_bound(mesh.col_x_mm.begin(), mesh.col_x_mm.end(), x) -
                          mesh.col_x_mm.begin());
}

// Nearest existing router by straight-line distance; among equals the upper one, then the western
// one.
MeshPoint nearest_router(const CubeMesh& mesh, const PointMm& at) {
  MeshPoint best;
  std::optional<Rational> best_square;
  for (int row = 0; row < mesh.rows(); ++row) {
    for (int col = 0; col < mesh.cols(); ++col) {
      if (!mesh.has_router({row, col})) continue;
      const Rational dx = mesh.col_x_mm[static_cast<std::size_t>(col)] - at.x;
      const Rational dy = mesh.row_y_mm[static_cast<std::size_t>(row)] - at.y;
      const Rational square = dx * dx + dy * dy;
      if (!best_square || square < *best_square) {
        best_square = square;
        best = {row, col};
      }
    }
  }
  return best;
}

int row_of_corner(const std::string& corner, int half) {
  const int second = std::min(1, half - 1);
  if (corner == "NW") return 0;
  if (corner == "NE") return second;
  return half + 2 + (corner == "SW" ? 0 : second);
}

void attach_ucie(CubeMesh& mesh, const CubeSpec& cube, int half) {
  std::vector<int> columns;
  for (const Rational& x : pe_columns(cube)) columns.push_back(column_of(mesh, x));
  std::vector<int> rows;
  for (int row = 0; row < mesh.rows(); ++row) {
    if (row < half || row > half + 1) rows.push_back(row);
  }
  for (int i = 0; i < cube.ucie_connections; ++i) {
    const int col = columns[static_cast<std::size_t>(i) % columns.size()];
    const int row = rows[static_cast<std::size_t>(i) % rows.size()];
    mesh.ucie[0].push_back({0, col});
    mesh.ucie[1].push_back({mesh.rows() - 1, col});
    mesh.ucie[2].push_back({row, mesh.cols() - 1});
    mesh.ucie[3].push_back({row, 0});
  }
}

}  // namespace

int CubeMesh::routers() const {
  int count = 0;
  for (int row = 0; row < rows(); ++row) {
    for (int col = 0; col < cols(); ++col) count += has_router({row, col}) ? 1 : 0;
  }
  return count;
}

CubeMesh generate_mesh(const CubeSpec& cube) {
  CubeMesh mesh;
  mesh.col_x_mm = with_relays(pe_columns(cube));

  const int half = rows_per_half(cube);
  const Rational middle = cube.h_mm / Rational(2);
  append_rows(mesh.row_y_mm, margin_mm, middle - margin_mm - margin_mm, half);
  if (half == 1) mesh.row_y_mm.back() = margin_mm;
  mesh.row_y_mm.push_back(middle - margin_mm);
  mesh.row_y_mm.push_back(middle + margin_mm);
  std::vector<Rational> lower;
  append_rows(lower, margin_mm, middle - margin_mm - margin_mm, half);
  for (auto y = lower.rbegin(); y != lower.rend(); ++y)
    mesh.row_y_mm.push_back(cube.h_mm - *y);  // the mirror image

  mesh.zone_first = {half, std::max(mesh.cols() / 2 - 1, 1)};
  mesh.zone_last = {half + 1, std::min(mesh.cols() / 2, mesh.cols() - 2)};

  for (const std::string& corner : cube.pe_layout.corners) {
    for (int k = 0; k < cube.pe_layout.pe_per_corner; ++k)
      mesh.pe.push_back({row_of_corner(corner, half), column_of(mesh, pe_x(cube, corner, k))});
  }
  mesh.m_cpu = nearest_router(mesh, cube.m_cpu_pos_mm);
  mesh.sram = nearest_router(mesh, cube.sram_pos_mm);
  attach_ucie(mesh, cube, half);
  return mesh;
}

std::vector<MeshFault> mesh_faults(const CubeSpec& cube) {
  std::vector<MeshFault> faults;
  const Rational reach =
      margin_mm + cube.pe_layout.pitch_mm * Rational(cube.pe_layout.pe_per_corner - 1);
  if (cube.w_mm < reach) {
    faults.push_back({&cube.w_mm, fmt::format("found {}, but {} PEs per corner at a pitch of {} mm "
                                              "reach {} mm from the edge; allowed is at least that",
                                              cube.w_mm.str(), cube.pe_layout.pe_per_corner,
                                              cube.pe_layout.pitch_mm.str(), reach.str())});
  }
  const int half = rows_per_half(cube);
  const Rational needed = half > 1 ? Rational(9) : Rational(6);
  if (cube.h_mm < needed) {
    faults.push_back(
        {&cube.h_mm,
         fmt::format("found {}, but the HBM rows and {} PE row(s) per half need at least {} mm",
                     cube.h_mm.str(), half, needed.str())});
  }
  return faults;
}

namespace {

std::string name_of_router(MeshPoint at) { return fmt::format("r{}c{}", at.row, at.col); }

std::string list_of(const std::vector<Rational>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ", ") + values[i].str();
  return text + "]";
}

std::string list_of(const std::vector<MeshPoint>& points) {
  std::string text = "[";
  for (std::size_t i = 0; i < points.size(); ++i)
    text += (i == 0 ? "" : ", ") + name_of_router(points[i]);
  return text + "]";
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string mesh_source_hash(const CubeSpec& cube) {
  std::string key = fmt::format("geometry {} {} pe_layout", cube.w_mm.str(), cube.h_mm.str());
  for (const std::string& corner : cube.pe_layout.corners) key += " " + corner;
  key += fmt::format(" {} {}", cube.pe_layout.pe_per_corner, cube.pe_layout.pitch_mm.str());
  key += " n_connections " + std::to_string(cube.ucie_connections);
  key += " mapping " + std::string(name_of(cube.memory_map.hbm_mapping_mode));
  key += fmt::format(" placement {} {} {} {}", cube.m_cpu_pos_mm.x.str(), cube.m_cpu_pos_mm.y.str(),
                     cube.sram_pos_mm.x.str(), cube.sram_pos_mm.y.str());
  std::uint64_t hash =
      0xcbf29ce484222325;  // FNV-1a, 64 bits: the same on every machine and in every build
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(hash >> shift) & 15U];
  return text;
}

std::string mesh_file_text(const CubeSpec& cube, const CubeMesh& mesh) {
  std::string text =
      "# Generated from the cube section of the topology; rewritten when it differs. Do not "
      "edit.\n";
  text += fmt::format("source_hash: {}\n", mesh_source_hash(cube));
  text +=
      fmt::format("columns_mm: {}\nrows_mm: {}\n", list_of(mesh.col_x_mm), list_of(mesh.row_y_mm));
  std::vector<MeshPoint> routers, zone;
  for (int row = 0; row < mesh.rows(); ++row) {
    for (int col = 0; col < mesh.cols(); ++col)
      (mesh.has_router({row, col}) ? routers : zone).push_back({row, col});
  }
  text += fmt::format("routers: {}\nhbm_zone: {}\nattached:\n", list_of(routers), list_of(zone));
  for (std::size_t pe = 0; pe < mesh.pe.size(); ++pe)
    text += fmt::format("  pe{}: {}\n", pe, name_of_router(mesh.pe[pe]));
  text += fmt::format("  m_cpu: {}\n  sram: {}\n", name_of_router(mesh.m_cpu),
                      name_of_router(mesh.sram));
  for (std::size_t side = 0; side < ucie_sides.size(); ++side)
    text += fmt::format("  ucie-{}: {}\n", ucie_sides[side], list_of(mesh.ucie[side]));
  return text;
}

std::filesystem::path mesh_file_next_to(const std::filesystem::path& topology) {
  return topology.parent_path() / "cube_mesh.yaml";
}

MeshFile keep_mesh_file(const std::filesystem::path& path, const CubeSpec& cube,
                        const CubeMesh& mesh) {
  const std::string text = mesh_file_text(cube, mesh);
  if (read_file(path) == text) return MeshFile::current;
  std::filesystem::path temporary = path;
  temporary +=
      ".tmp." + std::to_string(::getpid());  // concurrent runs write separate files, then rename
  bool written = false;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    written = !out.fail();
  }
  std::error_code error;
  if (written) std::filesystem::rename(temporary, path, error);
  if (!written || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    return MeshFile::not_writable;
  }
  return MeshFile::written;
}

}  // namespace kernbench
