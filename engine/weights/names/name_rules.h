// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace meshreel {

/// What has to be done to a tensor of the original file to get the one that diffusers has.
enum class Reshaping : std::uint8_t {
    None,
    Rows,       ///< one of several equal ranges of the first axis
    Flatten,    ///< to one axis
    DropFirst,  ///< a first axis of extent 1 goes
    Transpose,  ///< of a matrix
};

/// One name, or one kind of name, in the original files and in those of diffusers. Parts between dots may be
/// placeholders:
///   {i} {j}     an index
///   {i+1}       an index greater by one
///   *           any last part (weight, bias, gamma, …)
///   {flat}      i·stride + j, where a level's blocks are counted on (stride: residual blocks of the context
///   + 2) {up}        i·stride + stride - 1, the last of a level: it enlarges or shrinks {blocks}    the
///   residual blocks of the context; {blocks+1} one more {motion+1}  the motion encoder's residual blocks,
///   plus one
/// An empty name at diffusers: the tensor is not used there.
struct NameRule {
    std::string_view original;
    std::string_view diffusers;
    Reshaping reshaping = Reshaping::None;
    int part = 0;  ///< of Reshaping::Rows
    int parts = 1;
};

/// Of the transformers: text, image and first-and-last-frame to video, VACE, Animate.
std::span<const NameRule> transformerRules();

/// Of both VAEs; a name fits the rules of one of them only.
std::span<const NameRule> vaeRules();

std::span<const NameRule> textEncoderRules();

/// Of a text encoder that llama.cpp converted: its names stand for the original ones.
std::span<const NameRule> llamaTextEncoderRules();

std::span<const NameRule> imageEncoderRules();

}  // namespace meshreel
