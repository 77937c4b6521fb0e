// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/finish/frame_stages.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/error.h"
#include "engine/base/stop_token.h"
#include "engine/base/worker_pool.h"
#include "engine/finish/frame_pairs.h"
#include "engine/media/image_resize.h"
#include "engine/models/finish/colours.h"
#include "engine/models/finish/network_layers.h"
#include "engine/models/finish/rife_layout.h"
#include "engine/models/finish/upscaler_layout.h"
#include "engine/models/finish/upscaler_tiles.h"
#include "engine/tensor/dtype.h"

namespace meshreel {
namespace {

NetworkMemory networkMemory(const FinishPlan& plan, const Execution& execution) {
    return {.memory = execution.memory(), .arithmetic = plan.settings.arithmetic};
}

}  // namespace

BetweenFrames::BetweenFrames(const FinishPlan& plan, const Execution& execution) : m_execution(execution) {
    if (plan.rife)
        m_rife.emplace(openRife(plan.settings.interpolator), networkMemory(plan, execution));
}

const Rife::Frame& BetweenFrames::prepared(const NumberedFrame& frame) {
    Prepared& place = m_prepared.at(static_cast<std::size_t>(frame.number % 2));
    if (place.number != frame.number) {
        place.frame = {};  // what it held is free before there is more
        place.frame = m_rife->prepare(m_execution, coloursOfBytes(m_execution, frame.picture));
        place.number = frame.number;
    }
    return place.frame;
}

Tensor BetweenFrames::mixed(const Tensor& first, const Tensor& second, float part) const {
    Tensor result = Tensor::empty(first.shape(), DType::U8);
    const std::span<const std::uint8_t> one = first.data<std::uint8_t>();
    const std::span<const std::uint8_t> other = second.data<std::uint8_t>();
    const std::span<std::uint8_t> to = result.data<std::uint8_t>();
    m_execution.workers.parallelFor(first.elements(), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const float value =
                static_cast<float>(one[i]) * (1.0F - part) + static_cast<float>(other[i]) * part;
            to[i] = static_cast<std::uint8_t>(value + 0.5F);
        }
    });
    return result;
}

Tensor BetweenFrames::at(const NumberedFrame& first, const NumberedFrame& second, float part) {
    throwIfStopped(m_execution.stop);
    if (second.number != first.number + 1 || first.picture.shape() != second.picture.shape())
        throw Error(ErrorKind::Internal, "frames are made between two that follow each other");
    if (m_pair != first.number) {
        const FramePair pair = compareFramePair(first.picture, second.picture);
        m_pair = first.number;
        m_moves = pair == FramePair::Moving;
        m_counts.cuts += pair == FramePair::Cut ? 1 : 0;
    }
    if (!m_moves) {
        ++m_counts.copied;
        return first.picture;
    }
    ++m_counts.made;
    if (!m_rife)
        return mixed(first.picture, second.picture, part);
    const Rife::Frame& one = prepared(first);
    const Rife::Frame& other = prepared(second);
    return bytesOfColours(m_execution, m_rife->between(m_execution, one, other, part, first.picture.extent(0),
                                                       first.picture.extent(1)));
}

LargerFrames::LargerFrames(const FinishPlan& plan, const Execution& execution)
    : m_plan(plan), m_execution(execution) {
    if (plan.upscaler)
        m_upscaler.emplace(openUpscaler(plan.settings.upscaler), networkMemory(plan, execution));
}

Tensor LargerFrames::enlarged(const Tensor& picture) const {
    throwIfStopped(m_execution.stop);
    if (!m_plan.enlarges())
        return picture;
    Tensor large = m_upscaler ? enlargeInTiles(m_execution, *m_upscaler, picture, m_plan.tiles) : picture;
    if (large.extent(0) == m_plan.outHeight && large.extent(1) == m_plan.outWidth)
        return large;
    return resizeImage(large, m_plan.outHeight, m_plan.outWidth, Resampling::Lanczos);
}

}  // namespace meshreel
