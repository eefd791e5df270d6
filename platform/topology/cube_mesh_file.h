// cube_mesh.yaml: the generated layout of a cube, kept beside the topology file for people and
// tools to read.
//
// The program never reads the mesh back: laying it out takes microseconds, so a stale, damaged or
// edited file can do no harm. The file is written when its text differs from what the configuration
// yields, atomically; a directory that cannot be written is no error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "platform/topology/cube_mesh.h"

namespace kernbench {

// Hash (16 hex digits) of what the layout depends on: geometry, pe_layout, ucie.n_connections,
// hbm_mapping_mode, placement.
std::string mesh_source_hash(const CubeSpec& cube);
std::string mesh_file_text(const CubeSpec& cube, const CubeMesh& mesh);
std::filesystem::path mesh_file_beside(const std::filesystem::path& topology);

enum class MeshFile : std::uint8_t { current, written, not_writable };
MeshFile keep_mesh_file(const std::filesystem::path& path, const CubeSpec& cube,
                        const CubeMesh& mesh);

}  // namespace kernbench
