// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/sentence.h"

namespace meshreel {

/// One of Wan 2.2's two transformers.
enum class Expert : std::uint8_t {
    High,  ///< works on the noisier latents, first
    Low,
};

Expert otherExpert(Expert expert);

/// "high-noise expert".
Sentence titleOf(Expert expert);

/// What the names of a file of weights and of its folders say of it. People spell them in many ways, which
/// the tables in weights_name.cpp list: every reader of such names asks here.
struct WeightsName {
    std::optional<Expert> expert{};         ///< also absent when a name says both
    bool wan21 = false;                     ///< it names this generation of models
    bool wan22 = false;                     ///< may be set together with the other one
    std::vector<std::string_view> tasks{};  ///< "t2v", "i2v", "ti2v", "flf2v", "vace", "animate", "s2v"
    /// The names of folder and file without the expert and spelling differences: both files of a pair have
    /// the same.
    std::string set{};

    [[nodiscard]] bool names(std::string_view task) const;
};

/// Reads the file's name, then that of its folder. Looks on the disk only for a folder "transformer_2" beside
/// one that is called "transformer".
WeightsName readWeightsName(const std::filesystem::path& file);

/// The generations that any text names.
struct NamedGenerations {
    bool wan21 = false;
    bool wan22 = false;
};
NamedGenerations readGenerations(std::string_view text);

/// Which expert a file is, or is for, and where that was read.
struct ExpertReading {
    std::optional<Expert> byName{};
    std::optional<Expert> byMetadata{};
    std::string metadata{};  ///< what says so: "modelspec.title: Wan2.2 T2V A14B HIGH"

    /// Returns the expert; the name decides when both say one.
    [[nodiscard]] std::optional<Expert> expert() const { return byName ? byName : byMetadata; }
    /// Returns both readings when they differ; otherwise empty.
    [[nodiscard]] Sentence contradiction() const;
    /// "its name says high-noise expert": the reading that counts. Only where one does.
    [[nodiscard]] Sentence words() const;
};
ExpertReading readExpert(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& metadata);

/// Returns the file of the other expert that belongs to this one, in its folder or in the sibling folder,
/// however both are spelled; nothing when the name says no expert or no such file is there. `file` may be a
/// folder.
std::optional<std::filesystem::path> findCounterpart(const std::filesystem::path& file);

}  // namespace meshreel
