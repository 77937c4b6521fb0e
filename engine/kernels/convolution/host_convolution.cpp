// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/base/numbers.h"
#include "engine/base/stop_token.h"
#include "engine/kernels/convolution/convolution_kernel.h"
#include "engine/kernels/convolution/convolution_operation.h"
#include "engine/kernels/convolution/convolution_tile.h"
#include "engine/kernels/convolution/convolution_weights.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/linear/arithmetic.h"
#include "engine/kernels/scratch_buffer.h"
#include "engine/kernels/scratch_stack.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
namespace {

/// A rectangle of source pixels, which may reach over the borders of the frame.
struct PatchPlace {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

// What one worker gathers and sums up at a time: the sums stay in its L2 cache beside the part of the patch
// that is being multiplied.
constexpr std::int64_t patchBudget = 1024 * 1024;
constexpr std::int64_t sumBudget = 256 * 1024;

// Output pixels of a unit: wide, because neighbours share columns; more rows gather fewer rows twice.
constexpr std::int64_t unitColumns = 64;
constexpr std::int64_t unitRows = 8;

// Units that each worker should get, so that none waits long for the last.
constexpr std::int64_t unitsPerWorker = 4;

constexpr std::int64_t floatBytes = sizeof(float);

template <typename From, typename To>
void copyValues(std::span<const From> from, To* to) {
    const std::span<To> target{to, from.size()};
    if constexpr (std::is_same_v<From, To>)
        std::ranges::copy(from, target.begin());
    else
        convert(from, target);
}

/// Rows [first, first + count) of a matrix, side by side.
template <typename From, typename To>
void copyPixels(const MatrixView& pixels, std::int64_t first, std::int64_t count, To* to) {
    if (pixels.stride() == pixels.width()) {
        const From* from = static_cast<const From*>(pixels.data()) + first * pixels.width();
        copyValues(std::span{from, static_cast<std::size_t>(count * pixels.width())}, to);
        return;
    }
    for (std::int64_t pixel = first; pixel < first + count; ++pixel, to += pixels.width())
        copyValues(pixels.row<From>(pixel), to);
}

template <typename From, typename To>
class PatchRow {
  public:
    PatchRow(const ConvolutionFrame& frame, std::int64_t row, std::int64_t width, To* to)
        : m_frame(frame), m_row(row), m_width(width), m_to(to) {}

    /// Source columns [begin, end).
    void gather(std::int64_t begin, std::int64_t end) {
        zeros(std::min<std::int64_t>(end, -1) - begin);
        if (begin <= -1 && end > -1)
            beside(m_frame.left);
        const std::int64_t inside = std::max<std::int64_t>(begin, 0);
        const std::int64_t count = std::min(end, m_width) - inside;
        if (count > 0) {
            copyPixels<From>(m_frame.pixels, m_row * m_width + inside, count, m_to);
            m_to += count * channels();
        }
        if (begin <= m_width && end > m_width)
            beside(m_frame.right);
        zeros(end - std::max(begin, m_width + 1));
    }

  private:
    [[nodiscard]] std::int64_t channels() const { return m_frame.pixels.width(); }

    void zeros(std::int64_t pixels) {
        if (pixels > 0)
            m_to = std::fill_n(m_to, pixels * channels(), To{});
    }

    void beside(const MatrixView& column) {
        if (column.rows() == 0)
            return zeros(1);
        copyPixels<From>(column, m_row, 1, m_to);
        m_to += channels();
    }

    const ConvolutionFrame& m_frame;
    std::int64_t m_row;
    std::int64_t m_width;
    To* m_to;
};

template <typename From, typename To>
void gatherAs(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, To* to) {
    const std::int64_t height = frame.pixels.rows() / frameWidth;
    const std::int64_t rowValues = place.columns * frame.pixels.width();
    for (std::int64_t row = place.firstRow; row < place.firstRow + place.rows; ++row, to += rowValues) {
        if (row < 0 || row >= height)
            std::fill_n(to, rowValues, To{});
        else
            PatchRow<From, To>(frame, row, frameWidth, to)
                .gather(place.firstColumn, place.firstColumn + place.columns);
    }
}

template <typename To>
void gatherInto(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, To* to) {
    if (frame.pixels.dtype() == DType::F32)
        gatherAs<float>(frame, frameWidth, place, to);
    else
        gatherAs<BFloat16>(frame, frameWidth, place, to);
}

/// Copies the pixels of a patch side by side to `to`, [rows, columns, in] of f32 or bf16 (`type`), rounded if
/// that is bf16 and the frame is f32. Beyond the border are the columns that the frame knows, then zeros.
void gatherPatch(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, DType type,
                 void* to) {
    if (type == DType::BF16)
        gatherInto(frame, frameWidth, place, static_cast<BFloat16*>(to));
    else
        gatherInto(frame, frameWidth, place, static_cast<float*>(to));
}

void roundToBFloat16(std::span<float> values) {
    for (float& value : values)
        value = toFloat(toBFloat16(value));
}

class HostConvolution final : public ConvolutionOperation {
  public:
    using ConvolutionOperation::ConvolutionOperation;

    void apply(const Execution& execution, const ConvolutionCall& call) const override;

  private:
    struct Unit;
    struct Workspace;

    [[nodiscard]] bool roundsPatch(const ConvolutionFrame& frame) const;
    [[nodiscard]] PatchPlace locatePatch(const Unit& unit) const;
    [[nodiscard]] std::int64_t patchBytes(const Unit& unit) const;
    [[nodiscard]] Unit unitShape(const ConvolutionCall& call, int workers) const;
    void compute(const ConvolutionCall& call, const Unit& unit, Workspace& workspace) const;
    void accumulate(const ConvolutionPhase& phase, const Unit& unit, Workspace& workspace) const;
    void store(const ConvolutionPhase& phase, const ConvolutionCall& call, const Unit& unit,
               Workspace& workspace) const;
};

/// A rectangle of one output frame, in squares of upsample × upsample pixels; columns a multiple of the
/// kernel's pixels, those past the frame are left out when stored.
struct HostConvolution::Unit {
    std::int64_t frame = 0;
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct HostConvolution::Workspace {
    ScratchBuffer patches;
    ScratchBuffer sums;
    ScratchBuffer row;
    ScratchVector<const std::byte*> framePatches = {};  // for each kernel frame; nullptr: zeros
    ScratchVector<ConvolutionTap> taps = {};
};

/// Whether a kernel that multiplies f32 gets features that are not rounded yet.
bool HostConvolution::roundsPatch(const ConvolutionFrame& frame) const {
    return weights().arithmetic == Arithmetic::BF16 && weights().kernel->type == DType::F32 &&
           frame.pixels.dtype() == DType::F32;
}

/// What all phases read for a unit.
PatchPlace HostConvolution::locatePatch(const Unit& unit) const {
    const ConvolutionPhase& first = weights().phases.front();
    const ConvolutionPhase& last = weights().phases.back();
    const std::int64_t stride = weights().geometry.spaceStride;
    return {.firstRow = unit.firstRow * stride + first.firstRow,
            .firstColumn = unit.firstColumn * stride + first.firstColumn,
            .rows = (unit.rows - 1) * stride + last.firstRow + last.height - first.firstRow,
            .columns = (unit.columns - 1) * stride + last.firstColumn + last.width - first.firstColumn};
}

std::int64_t HostConvolution::patchBytes(const Unit& unit) const {
    const PatchPlace patch = locatePatch(unit);
    return patch.rows * patch.columns * weights().inChannels *
           static_cast<std::int64_t>(byteSize(weights().kernel->type));
}

HostConvolution::Unit HostConvolution::unitShape(const ConvolutionCall& call, int workers) const {
    const std::int64_t height = ceilDivide(call.outHeight, weights().geometry.upsample);
    const std::int64_t width = ceilDivide(call.outWidth, weights().geometry.upsample);
    const auto shapeOf = [&](std::int64_t rows, std::int64_t columns) {
        return Unit{
            .rows = std::min(rows, height),
            .columns = roundUp(ceilDivide(width, ceilDivide(width, columns)), weights().kernel->pixels)};
    };
    const auto fits = [&](const Unit& unit) {
        return weights().kernelFrames * patchBytes(unit) <= patchBudget &&
               unit.rows * unit.columns * weights().paddedOuts() * floatBytes <= sumBudget;
    };
    const auto units = [&](const Unit& unit) {
        return call.outFrames * ceilDivide(height, unit.rows) * ceilDivide(width, unit.columns);
    };
    Unit shape = shapeOf(unitRows, unitColumns);
    while (shape.rows > 1 && (!fits(shape) || units(shape) < unitsPerWorker * workers))
        shape.rows = ceilDivide(shape.rows, 2);
    if (!fits(shape))
        shape = shapeOf(shape.rows, unitColumns / 2);
    return shape;
}

void requireOnHost(const ConvolutionCall& call) {
    const bool isOnHost =
        call.out.isOnHost() && std::ranges::all_of(call.frames, [](const ConvolutionFrame& frame) {
            return frame.pixels.rows() == 0 || frame.pixels.isOnHost();
        });
    if (!isOnHost)
        throw Error(ErrorKind::Internal, "frames in a device's memory met weights of the host");
}

void HostConvolution::apply(const Execution& execution, const ConvolutionCall& call) const {
    requireOnHost(call);
    const Unit shape = unitShape(call, execution.workers.size());
    const std::int64_t rows = ceilDivide(ceilDivide(call.outHeight, weights().geometry.upsample), shape.rows);
    const std::int64_t columns =
        ceilDivide(ceilDivide(call.outWidth, weights().geometry.upsample), shape.columns);
    execution.workers.parallelFor(call.outFrames * rows * columns, [&](std::int64_t begin, std::int64_t end) {
        Workspace workspace;
        for (std::int64_t index = begin; index < end; ++index) {
            throwIfStopped(execution.stop);
            Unit unit = shape;
            unit.frame = index / (rows * columns);
            unit.firstRow = index / columns % rows * shape.rows;
            unit.firstColumn = index % columns * shape.columns;
            compute(call, unit, workspace);
        }
    });
}

void HostConvolution::compute(const ConvolutionCall& call, const Unit& whole, Workspace& workspace) const {
    const std::int64_t upsample = weights().geometry.upsample;
    Unit unit = whole;
    unit.rows = std::min(unit.rows, ceilDivide(call.outHeight, upsample) - unit.firstRow);
    unit.columns = std::min(unit.columns, roundUp(ceilDivide(call.outWidth, upsample) - unit.firstColumn,
                                                  weights().kernel->pixels));
    const PatchPlace place = locatePatch(unit);
    const std::int64_t framePatch = patchBytes(unit);
    // A tap padded to the kernel's depth reads that far past the last pixel, against weights of zero.
    const std::int64_t slack =
        weights().kernel->depth * static_cast<std::int64_t>(byteSize(weights().kernel->type));
    auto* patches = workspace.patches.take<std::byte>(weights().kernelFrames * framePatch + slack);
    std::fill_n(patches + weights().kernelFrames * framePatch, slack, std::byte{});
    workspace.framePatches.assign(static_cast<std::size_t>(weights().kernelFrames), nullptr);
    std::byte* next = patches + weights().kernelFrames * framePatch;
    for (std::int64_t kernelFrame = weights().kernelFrames; kernelFrame-- > 0;) {
        const ConvolutionFrame& frame =
            call.frames[static_cast<std::size_t>(unit.frame * weights().geometry.timeStride + kernelFrame)];
        if (frame.pixels.rows() == 0)
            continue;
        // Backwards, so that what follows a patch has been written.
        next -= framePatch;
        gatherPatch(frame, call.width, place, weights().kernel->type, next);
        if (roundsPatch(frame))
            roundToBFloat16(
                {reinterpret_cast<float*>(next), static_cast<std::size_t>(framePatch) / floatBytes});
        workspace.framePatches[static_cast<std::size_t>(kernelFrame)] = next;
    }
    for (const ConvolutionPhase& phase : weights().phases) {
        accumulate(phase, unit, workspace);
        store(phase, call, unit, workspace);
    }
}

void HostConvolution::accumulate(const ConvolutionPhase& phase, const Unit& unit,
                                 Workspace& workspace) const {
    const ConvolutionPhase& first = weights().phases.front();
    const auto typeBytes = static_cast<std::int64_t>(byteSize(weights().kernel->type));
    const std::int64_t patchColumns = locatePatch(unit).columns;
    const std::int64_t pixels = unit.rows * unit.columns;
    auto* sums = workspace.sums.take<float>(pixels * weights().paddedOuts());
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
        std::ranges::copy(weights().bias.data<float>(), sums + pixel * weights().paddedOuts());
    workspace.taps.clear();
    for (std::int64_t kernelFrame = 0; kernelFrame < weights().kernelFrames; ++kernelFrame) {
        const std::byte* patch = workspace.framePatches[static_cast<std::size_t>(kernelFrame)];
        for (std::int64_t row = 0; patch != nullptr && row < phase.height; ++row) {
            const std::int64_t pixel = (phase.firstRow - first.firstRow + row) * patchColumns +
                                       phase.firstColumn - first.firstColumn;
            workspace.taps.push_back({.features = patch + pixel * weights().inChannels * typeBytes,
                                      .index = kernelFrame * phase.height + row});
        }
    }
    const std::int64_t pixelStride = weights().geometry.spaceStride * weights().inChannels;
    weights().kernel->accumulate({.taps = workspace.taps.data(),
                                  .tapCount = std::ssize(workspace.taps),
                                  .features = phase.features(weights().inChannels, *weights().kernel),
                                  .rows = unit.rows,
                                  .columns = unit.columns,
                                  .rowStride = patchColumns * pixelStride,
                                  .pixelStride = pixelStride,
                                  .weights = phase.weights.raw(),
                                  .packedTaps = weights().kernelFrames * phase.height,
                                  .channels = weights().paddedOuts(),
                                  .sums = sums});
}

void HostConvolution::store(const ConvolutionPhase& phase, const ConvolutionCall& call, const Unit& unit,
                            Workspace& workspace) const {
    const auto channels = static_cast<std::size_t>(weights().outChannels);
    auto* sums = workspace.sums.take<float>(unit.rows * unit.columns * weights().paddedOuts());
    const std::span<float> before{workspace.row.take<float>(weights().outChannels), channels};
    for (std::int64_t row = 0; row < unit.rows; ++row) {
        const std::int64_t outRow = (unit.firstRow + row) * weights().geometry.upsample + phase.row;
        if (outRow >= call.outHeight)
            break;
        for (std::int64_t column = 0; column < unit.columns; ++column) {
            const std::int64_t outColumn =
                (unit.firstColumn + column) * weights().geometry.upsample + phase.column;
            if (outColumn >= call.outWidth)
                break;
            const std::int64_t pixel = (unit.frame * call.outHeight + outRow) * call.outWidth + outColumn;
            const std::span<float> sum{sums + (row * unit.columns + column) * weights().paddedOuts(),
                                       channels};
            if (call.epilogue.norm != nullptr)
                call.epilogue.norm->apply(sum, sum);
            if (call.epilogue.addToOutput) {
                MatrixView(call.out).readRow(pixel, before);
                std::ranges::transform(sum, before, sum.begin(), std::plus<>());
            }
            call.out.writeRow(pixel, sum);
        }
    }
}

}  // namespace

std::unique_ptr<ConvolutionOperation> makeHostConvolution(ConvolutionWeights weights) {
    return std::make_unique<HostConvolution>(std::move(weights));
}

}  // namespace meshreel
