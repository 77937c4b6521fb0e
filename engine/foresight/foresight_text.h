// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/foresight/accelerator_case.h"
#include "engine/foresight/foresight_model.h"
#include "engine/foresight/mesh_foresight.h"

namespace meshreel {

/// What is shown beside the meshes themselves.
struct ForesightView {
    std::optional<double> price;        ///< of a device for an hour
    const ForeseenMesh* own = nullptr;  ///< the project's, which the others are compared with; null: none
    std::size_t most = 12;  ///< meshes of a number of devices in text and Markdown; JSON and CSV have all
};

/// "TPU v7x (Ironwood), maxdiffusion: efficiencies from own times" and the meshes, the best first.
std::string describeMeshForesight(const MeshForesight& meshes, int devices, const AcceleratorCase& of,
                                  const ForesightView& view);

/// Returns it as a Markdown table.
std::string meshForesightMarkdown(const MeshForesight& meshes, int devices, const AcceleratorCase& of,
                                  const ForesightView& view);

/// Returns a row a mesh and pair of block sizes; `header` begins with the names of the columns.
std::string meshForesightCsv(const MeshForesight& meshes, const ForesightView& view, bool header);

/// {"mesh", "axes", "attention", "kernel", "head_efficiency", "block_q", "block_kv", "step": {"seconds",
/// "low", "high"}, "clip", "causes", "memory_bytes", "fits", "money", "blocks"}, and "verdict" beside the
/// view's own mesh.
nlohmann::ordered_json foreseenMeshJson(const ForeseenMesh& mesh, const ForesightView& view = {});

/// {"devices", "meshes": [as foreseenMeshJson()], "refused": [{"mesh", "why"}]}.
nlohmann::ordered_json meshForesightJson(const MeshForesight& meshes, int devices, const ForesightView& view);

/// {"hardware", "program", "kernel", "efficiencies": "own times", "sources"}: what the figures rest on.
nlohmann::ordered_json foresightBasisJson(const MeshForesight& meshes, const AcceleratorCase& of);

/// Returns the seconds of one mesh by cause and stage, hop beside kernel, block sizes, and what would make it
/// faster.
std::string explainMesh(const ForeseenMesh& mesh, const EfficiencyValues& values);
nlohmann::ordered_json explanationJson(const ForeseenMesh& mesh, const EfficiencyValues& values);

/// Returns the mesh with this label ("dp2-cp4-U2R2"), in any case, and with this mode if the text names one
/// after a space or a slash; the fastest of several. Throws Error{Project} with the nearest labels.
const ForeseenMesh& requireMesh(const MeshForesight& meshes, std::string_view label);

std::string describeScaling(std::span<const ForeseenScaling> points, const ForesightView& view);
std::string scalingMarkdown(std::span<const ForeseenScaling> points, const ForesightView& view);
std::string scalingCsv(std::span<const ForeseenScaling> points, const ForesightView& view);
nlohmann::ordered_json scalingJson(std::span<const ForeseenScaling> points, const ForesightView& view);

}  // namespace meshreel
