// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/weights/names/name_rules.h"

namespace meshreel {

/// The networks of a Wan model.
enum class ModelPart : std::uint8_t { Transformer, Vae, TextEncoder, ImageEncoder };

/// "transformer", "vae", "text_encoder", "image_encoder": the folders of diffusers.
std::string_view nameOf(ModelPart part);

/// Numbers that some names depend on, and that stand in no name by themselves.
struct NameContext {
    int residualBlocks = 2;  ///< of a level of the VAE's encoder; its decoder has one more
    int motionBlocks = 7;    ///< residual blocks of Animate's motion encoder
    bool vaeLevels = false;  ///< the VAE's blocks are counted by level on both sides, as Wan 2.2's are

    /// Of the names of one part, in either naming.
    static NameContext of(std::span<const std::string> names);
};

/// A name on the other side.
struct MappedName {
    std::string name;  ///< empty: the tensor is not used on that side
    Reshaping reshaping = Reshaping::None;
    int part = 0;
    int parts = 1;

    friend bool operator==(const MappedName&, const MappedName&) = default;
};

/// Names of one part in the files of the original project and of diffusers.
class NameMap {
  public:
    explicit NameMap(ModelPart part, NameContext context = {});

    /// Of other rules than those of a part.
    NameMap(std::span<const NameRule> rules, NameContext context) : m_rules(rules), m_context(context) {}

    /// Several where a tensor is split; none for a name that no rule knows.
    [[nodiscard]] std::vector<MappedName> toDiffusers(std::string_view original) const;

    /// One, or none for a name that no rule knows. `reshaping` is what makes the diffusers tensor of the
    /// original.
    [[nodiscard]] std::optional<MappedName> toOriginal(std::string_view diffusers) const;

  private:
    std::span<const NameRule> m_rules;
    NameContext m_context;
};

}  // namespace meshreel
