// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/mesh/mpi/remote_link.h"

namespace meshreel {

/// What ranks say to each other beside the data.
enum class Word : std::uint8_t {
    Alive,        ///< every second
    Failing,      ///< I gave up; why, once I know
    Quiet,        ///< after Failing: I receive nothing any more, and never will
    Terminating,  ///< my process was asked to end
    Bye,          ///< I am done and wait for the others
};

struct RankWord {
    Word word = Word::Alive;
    std::optional<MeshFailure> failure = {};
};

/// No word is longer; longer reasons are cut, and then the same in every language.
inline constexpr std::size_t longestWord = 3072;

std::string encodeWord(const RankWord& word);

/// A damaged text reads as Alive: somebody did write it.
RankWord decodeWord(const std::string& text);

}  // namespace meshreel
