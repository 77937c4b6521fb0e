// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "engine/base/error.h"
#include "engine/base/sentence.h"

namespace meshreel {

// What the errno of a call that was to write says, and what to do about it: for files, videos, weights and
// folders alike.

/// Bytes of a name that every disk takes: eCryptfs takes 143, most others 255.
inline constexpr std::size_t nameBytesOnAnyDisk = 140;

/// Returns whether the disk is full, or a quota or the largest size of a file reached.
bool saysFull(int code);

/// Returns what to do; `otherwise` where the errno says nothing particular, by default to choose another
/// folder.
Sentence writeCure(int code);
Sentence writeCure(int code, const Sentence& otherwise);

/// Error{Resources} when the disk is full, else Error{Input}. `message` quotes the errno's words.
Error writeFailure(const Sentence& message, const std::string& where, int code);

}  // namespace meshreel
