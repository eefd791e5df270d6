#include "platform/topology/cube_mesh_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <system_error>

namespace kernbench {
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
      "# Generated from the cube section of the topology; written anew when it differs. Do not "
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

std::filesystem::path mesh_file_beside(const std::filesystem::path& topology) {
  return topology.parent_path() / "cube_mesh.yaml";
}

MeshFile keep_mesh_file(const std::filesystem::path& path, const CubeSpec& cube,
                        const CubeMesh& mesh) {
  const std::string text = mesh_file_text(cube, mesh);
  if (read_file(path) == text) return MeshFile::current;
  std::filesystem::path temporary = path;
  temporary +=
      ".tmp." + std::to_string(::getpid());  // runs in parallel each write their own, then rename
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
