// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshreel {

/// The axes of a device mesh, in the order of MaxDiffusion's mesh_axes.
enum class MeshAxis : std::uint8_t { Data, Fsdp, Context, Tensor };

inline constexpr std::array meshAxes{MeshAxis::Data, MeshAxis::Fsdp, MeshAxis::Context, MeshAxis::Tensor};

/// "data", "fsdp", "context", "tensor".
std::string_view nameOf(MeshAxis axis);

/// Extents of the device mesh.
struct MeshShape {
    int data = 1;     ///< divides the batch; the two halves of classifier-free guidance are a batch of two
    int fsdp = 1;     ///< shards of the weights; divides the batch as well
    int context = 1;  ///< shards of the token sequence
    int tensor = 1;   ///< shards of heads and feed-forward features

    [[nodiscard]] constexpr int devices() const { return data * fsdp * context * tensor; }
    [[nodiscard]] int extent(MeshAxis axis) const;

    /// "data 1, fsdp 1, context 1, tensor 1".
    [[nodiscard]] std::string text() const;

    friend bool operator==(const MeshShape&, const MeshShape&) = default;
};

/// The place of a device: its index along every axis of the whole mesh.
struct DeviceCoordinates {
    int data = 0;
    int fsdp = 0;
    int context = 0;
    int tensor = 0;

    [[nodiscard]] int along(MeshAxis axis) const;
    friend bool operator==(const DeviceCoordinates&, const DeviceCoordinates&) = default;
};

/// Numbers the devices of a mesh made of an outer mesh between hosts (dcn) and an inner one (ici). An axis
/// has dcn·ici shards, its coordinate is outer·ici + inner; device numbers count the outer mesh slowest, and
/// in both meshes data, fsdp, context, tensor from slowest to fastest.
class MeshLayout {
  public:
    MeshLayout() = default;
    explicit MeshLayout(const MeshShape& ici, const MeshShape& dcn = {});

    [[nodiscard]] const MeshShape& ici() const { return m_ici; }
    [[nodiscard]] const MeshShape& dcn() const { return m_dcn; }
    [[nodiscard]] MeshShape shape() const;  ///< products of both
    [[nodiscard]] int devices() const { return m_ici.devices() * m_dcn.devices(); }

    [[nodiscard]] DeviceCoordinates coordinates(int device) const;
    [[nodiscard]] int deviceAt(const DeviceCoordinates& at) const;

    /// Returns the devices whose coordinates differ from those of `device` along `axes` only, `device` among
    /// them, ordered by those coordinates with the last of `axes` fastest.
    [[nodiscard]] std::vector<int> group(int device, std::span<const MeshAxis> axes) const;

    friend bool operator==(const MeshLayout&, const MeshLayout&) = default;

  private:
    MeshShape m_ici;
    MeshShape m_dcn;
};

/// How the devices of the context axis share an attention.
enum class ContextSharing : std::uint8_t {
    Sequence,      ///< queries and keys by tokens (ring, Ulysses and both)
    QueriesOnly,   ///< queries by tokens; every device has, or gathers, all keys
    HeadsInstead,  ///< sharded by heads, with the whole sequence each
};

/// The mesh axes that shard a logical axis of a tensor, outermost first; none: every device has all of it.
struct LogicalAxisRule {
    std::string_view axis;  ///< spelled as in MaxDiffusion's logical_axis_rules
    std::vector<MeshAxis> over;
};

/// Returns the rules for a transformer whose attentions are shared like this. Other than MaxDiffusion's they
/// leave the context axis out of weights (embed, conv_batch, conv_out): every device of it keeps them whole.
std::vector<LogicalAxisRule> logicalAxisRules(ContextSharing selfAttention, ContextSharing crossAttention);

/// Throws Error{Internal} for an axis without a rule.
std::span<const MeshAxis> findMeshAxes(std::span<const LogicalAxisRule> rules, std::string_view axis);

/// Returns the number of devices that divide the axis: the product of the extents.
int partsOf(const MeshShape& shape, std::span<const MeshAxis> over);

}  // namespace meshreel
