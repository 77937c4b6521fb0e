// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/kernels/convolution/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/number_types.h"
#include "engine/base/numbers.h"
#include "engine/kernels/convolution/convolution_tile.h"
#include "engine/kernels/gpu/gpu_convolution.h"
#include "engine/kernels/gpu/gpu_operands.h"
#include "engine/kernels/scratch_buffer.h"

namespace meshreel {

/// A rectangle of source pixels, which may reach over the borders of the frame.
struct PatchPlace {
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

namespace {

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

/// Copies the pixels of a patch side by side to `to`, [rows, columns, in] of f32 or bf16 (`type`), rounded
/// where that is bf16 and the frame is f32. Beyond the border are the columns that the frame knows, then
/// zeros.
void gatherPatch(const ConvolutionFrame& frame, std::int64_t frameWidth, const PatchPlace& place, DType type,
                 void* to) {
    if (type == DType::BF16)
        gatherInto(frame, frameWidth, place, static_cast<BFloat16*>(to));
    else
        gatherInto(frame, frameWidth, place, static_cast<float*>(to));
}

std::int64_t floorDivide(std::int64_t value, std::int64_t divisor) {
    return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/// Which source pixels a kernel of `taps` reads for place `phase` of an enlarged pixel, along one side.
struct SeenPixels {
    std::int64_t phase;
    std::int64_t padBefore;
    std::int64_t upsample;
    std::int64_t taps;

    [[nodiscard]] std::int64_t of(std::int64_t tap) const {
        return floorDivide(phase + tap - padBefore, upsample);
    }
    [[nodiscard]] std::int64_t first() const { return of(0); }
    [[nodiscard]] std::int64_t count() const { return of(taps - 1) - first() + 1; }
};

/// By tap of the weight [kt, kh, kw], the number of the source pixel that it meets, of
/// [kt, rows.count(), columns.count()].
std::vector<std::size_t> pixelsSeen(std::int64_t frames, const SeenPixels& rows, const SeenPixels& columns) {
    std::vector<std::size_t> seen;
    for (std::int64_t frame = 0; frame < frames; ++frame)
        for (std::int64_t row = 0; row < rows.taps; ++row)
            for (std::int64_t column = 0; column < columns.taps; ++column) {
                const std::int64_t seenRow = frame * rows.count() + rows.of(row) - rows.first();
                seen.push_back(static_cast<std::size_t>(seenRow * columns.count() + columns.of(column) -
                                                        columns.first()));
            }
    return seen;
}

/// The weights of `lanes` outputs for one input, by source pixel.
class PixelWeights {
  public:
    static constexpr std::size_t lanes = 16;  ///< of a kernel at most

    explicit PixelWeights(std::int64_t pixels)
        : m_sums(static_cast<std::size_t>(pixels) * lanes), m_rounded(m_sums.size()) {}

    /// `weight`: of the first output; those of the next lie `stride` behind. Taps that see one pixel are
    /// added up.
    void gather(const float* weight, std::int64_t stride, std::size_t count,
                std::span<const std::size_t> seen) {
        std::ranges::fill(m_sums, 0.0F);
        for (std::size_t lane = 0; lane < count; ++lane, weight += stride)
            for (std::size_t tap = 0; tap < seen.size(); ++tap)
                m_sums[seen[tap] * lanes + lane] += weight[tap];
    }

    void roundToBFloat16() {
        convert(m_sums, m_rounded);
        convert(m_rounded, m_sums);
    }

    /// Those in bf16 only after roundToBFloat16().
    template <typename Element>
    [[nodiscard]] const Element* of(std::int64_t pixel) const {
        const std::size_t at = static_cast<std::size_t>(pixel) * lanes;
        if constexpr (std::is_same_v<Element, float>)
            return m_sums.data() + at;
        else
            return m_rounded.data() + at;
    }

  private:
    std::vector<float> m_sums;
    std::vector<BFloat16> m_rounded;
};

/// The phase's weights, rounded to `arithmetic`, in the kernel's order of [taps, features, outs], features
/// and outs padded with zeros. A kernel lays `lane` outputs of a feature evenly apart.
template <typename Stored>
Tensor packed(const Tensor& weight, const ConvolutionPhase& phase, std::span<const std::size_t> seen,
              const ConvolutionKernel& kernel, Arithmetic arithmetic) {
    const std::int64_t outs = weight.extent(0);
    const std::int64_t ins = weight.extent(1);
    const std::int64_t weightsOfOut = ins * std::ssize(seen);
    const std::int64_t taps = weight.extent(2) * phase.height;
    const std::int64_t features = phase.features(ins, kernel);
    const std::int64_t paddedOuts = roundUp(outs, kernel.lane);
    const std::int64_t step = kernel.weightOffset(0, 1, kernel.lane) - kernel.weightOffset(0, 0, kernel.lane);
    Tensor result = Tensor::zeros({taps * features * paddedOuts}, kernel.type);
    PixelWeights weights(taps * phase.width);
    for (std::int64_t out = 0; out < outs; out += kernel.lane) {
        const std::int64_t firstOut = out / kernel.channels * kernel.channels;
        const std::int64_t channels = std::min(kernel.channels, paddedOuts - firstOut);
        const std::int64_t lanes = std::min(kernel.lane, outs - out);
        Stored* const block = result.data<Stored>().data() + firstOut * taps * features;
        for (std::int64_t in = 0; in < ins; ++in) {
            weights.gather(weight.data<float>().data() + out * weightsOfOut + in * std::ssize(seen),
                           weightsOfOut, static_cast<std::size_t>(lanes), seen);
            if (arithmetic == Arithmetic::BF16)
                weights.roundToBFloat16();
            std::int64_t pixel = 0;
            for (std::int64_t tap = 0; tap < taps; ++tap)
                for (std::int64_t column = 0; column < phase.width; ++column, ++pixel) {
                    const std::int64_t feature = tap * features + column * ins + in;
                    Stored* place = block + kernel.weightOffset(feature, out - firstOut, channels);
                    const Stored* from = weights.of<Stored>(pixel);
                    for (std::int64_t lane = 0; lane < lanes; ++lane, place += step)
                        *place = from[lane];
                }
        }
    }
    return result;
}

Tensor packedFor(const ConvolutionKernel& kernel, const Tensor& weight, const ConvolutionPhase& phase,
                 std::span<const std::size_t> seen, Arithmetic arithmetic) {
    return kernel.type == DType::BF16 ? packed<BFloat16>(weight, phase, seen, kernel, arithmetic)
                                      : packed<float>(weight, phase, seen, kernel, arithmetic);
}

/// The phases of weight f32 [out, in, kt, kh, kw] that reads the input from `padBefore` pixels before the
/// first. Kernel taps that see the same source pixel through the enlargement are added up, then rounded to
/// `arithmetic`.
std::vector<ConvolutionPhase> packPhases(const Tensor& weight, std::int64_t padBefore, std::int64_t upsample,
                                         Arithmetic arithmetic, const ConvolutionKernel& kernel) {
    std::vector<ConvolutionPhase> phases;
    for (std::int64_t row = 0; row < upsample; ++row)
        for (std::int64_t column = 0; column < upsample; ++column) {
            const SeenPixels rows{row, padBefore, upsample, weight.extent(3)};
            const SeenPixels columns{column, padBefore, upsample, weight.extent(4)};
            ConvolutionPhase phase{.row = row,
                                   .column = column,
                                   .firstRow = rows.first(),
                                   .firstColumn = columns.first(),
                                   .height = rows.count(),
                                   .width = columns.count()};
            phase.weights =
                packedFor(kernel, weight, phase, pixelsSeen(weight.extent(2), rows, columns), arithmetic);
            phases.push_back(std::move(phase));
        }
    return phases;
}

Tensor paddedBias(const Tensor& bias, std::int64_t lane) {
    Tensor padded = Tensor::zeros({roundUp(bias.extent(0), lane)});
    const Tensor values = bias.toF32();
    std::ranges::copy(std::as_const(values).data<float>(), padded.data<float>().begin());
    return padded;
}

/// [out, in, kt, kh, kw] of f32.
Tensor weightOfFiveAxes(const Tensor& weight) {
    const Shape& shape = weight.shape();
    return weight.toF32().reshaped({shape[0], shape[1], shape.rank() == 5 ? shape[2] : 1,
                                    shape[shape.rank() - 2], shape[shape.rank() - 1]});
}

/// How a GPU reads weights: [taps · features, outs]. The host has no use for them.
constexpr ConvolutionKernel narrowDeviceKernel{.name = "of a device",
                                               .type = DType::BF16,
                                               .channels = std::int64_t{1} << 32U,
                                               .lane = 8,
                                               .weightOffset = weightOffsetByFeature};
constexpr ConvolutionKernel deviceKernel{.name = "of a device",
                                         .type = DType::F32,
                                         .channels = std::int64_t{1} << 32U,
                                         .lane = 8,
                                         .weightOffset = weightOffsetByFeature};

void roundToBFloat16(std::span<float> values) {
    for (float& value : values)
        value = toFloat(toBFloat16(value));
}

}  // namespace

std::int64_t ConvolutionPhase::features(std::int64_t inChannels, const ConvolutionKernel& kernel) const {
    return roundUp(width * inChannels, kernel.depth);
}

struct PackedConvolution::Call {
    std::span<const ConvolutionFrame> frames;
    std::int64_t height;
    std::int64_t width;
    std::int64_t outHeight;
    std::int64_t outWidth;
    std::int64_t outFrames;
    const MatrixSpan& out;
    const ConvolutionEpilogue& epilogue;
};

/// A rectangle of one output frame, in squares of upsample × upsample pixels; columns a multiple of the
/// kernel's pixels, those past the frame are left out when stored.
struct PackedConvolution::Unit {
    std::int64_t frame = 0;
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct PackedConvolution::Workspace {
    ScratchBuffer patches;
    ScratchBuffer sums;
    ScratchBuffer row;
    std::vector<const std::byte*> framePatches = {};  // of each kernel frame; nullptr: zeros
    std::vector<ConvolutionTap> taps = {};
};

PackedConvolution PackedConvolution::pack(const Tensor& weight, const Tensor& bias,
                                          const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                          Memory* memory) {
    if (arithmetic == Arithmetic::Int8)
        throw Error(ErrorKind::Internal, "There is no convolution in int8");
    if (memory == nullptr)
        return pack(weight, bias, geometry, arithmetic, convolutionKernel(arithmetic));
    PackedConvolution packed = pack(weight, bias, geometry, arithmetic,
                                    arithmetic == Arithmetic::BF16 ? narrowDeviceKernel : deviceKernel);
    packed.m_bias = packed.m_bias.in(memory);
    for (ConvolutionPhase& phase : packed.m_phases)
        phase.weights = phase.weights.in(memory);
    return packed;
}

PackedConvolution PackedConvolution::pack(const Tensor& weight, const Tensor& bias,
                                          const ConvolutionGeometry& geometry, Arithmetic arithmetic,
                                          const ConvolutionKernel& kernel) {
    const std::size_t rank = weight.shape().rank();
    if ((rank != 4 && rank != 5) || bias.shape() != Shape{weight.extent(0)})
        throw Error(ErrorKind::Internal, fmt::format("No convolution has a weight {} and a bias {}",
                                                     weight.shape().text(), bias.shape().text()));
    if (geometry.upsample > 1 && geometry.spaceStride > 1)
        throw Error(ErrorKind::Internal, "No convolution both enlarges its input and strides over it");
    const Tensor values = weightOfFiveAxes(weight);
    PackedConvolution packed;
    packed.m_geometry = geometry;
    packed.m_arithmetic = arithmetic;
    packed.m_kernel = &kernel;
    packed.m_outChannels = values.extent(0);
    packed.m_inChannels = values.extent(1);
    packed.m_kernelFrames = values.extent(2);
    packed.m_kernelHeight = values.extent(3);
    packed.m_kernelWidth = values.extent(4);
    packed.m_bias = paddedBias(bias, kernel.lane);
    packed.m_phases = packPhases(values, geometry.padBefore, geometry.upsample, arithmetic, kernel);
    return packed;
}

std::size_t PackedConvolution::bytes() const {
    std::size_t total = m_bias.bytes();
    for (const ConvolutionPhase& phase : m_phases)
        total += phase.weights.bytes();
    return total;
}

std::int64_t PackedConvolution::outFrames(std::int64_t frames) const {
    return frames < m_kernelFrames ? 0 : (frames - m_kernelFrames) / m_geometry.timeStride + 1;
}

std::int64_t PackedConvolution::outExtent(std::int64_t extent, std::int64_t kernel) const {
    const std::int64_t padded = extent * m_geometry.upsample + m_geometry.padBefore + m_geometry.padAfter;
    return padded < kernel ? 0 : (padded - kernel) / m_geometry.spaceStride + 1;
}

void PackedConvolution::requireFit(const Call& call, const MatrixSpan& out) const {
    const std::int64_t pixels = call.outFrames * call.outHeight * call.outWidth;
    if (out.rows() != pixels || (pixels > 0 && out.width() != m_outChannels))
        throw Error(
            ErrorKind::Internal,
            fmt::format("A convolution of {} frames of {}x{} got an output of {} pixels of {} channels",
                        call.frames.size(), call.height, call.width, out.rows(), out.width()));
    for (const ConvolutionFrame& frame : call.frames)
        if (frame.pixels.rows() > 0 &&
            (frame.pixels.rows() != call.height * call.width || frame.pixels.width() != m_inChannels))
            throw Error(ErrorKind::Internal,
                        fmt::format("A convolution of {} channels of {}x{} got {} pixels of {} channels",
                                    m_inChannels, call.height, call.width, frame.pixels.rows(),
                                    frame.pixels.width()));
    requireReachableColumns(call.frames);
}

void PackedConvolution::requireReachableColumns(std::span<const ConvolutionFrame> frames) const {
    const bool strip = std::ranges::any_of(frames, [](const ConvolutionFrame& frame) {
        return frame.left.rows() > 0 || frame.right.rows() > 0;
    });
    if (strip && std::max(m_geometry.padBefore, m_geometry.padAfter) > m_geometry.upsample)
        throw Error(ErrorKind::Internal, "A convolution of strips reaches further than the next column");
}

/// Whether a kernel that multiplies f32 gets features that are not rounded yet.
bool PackedConvolution::roundsPatch(const ConvolutionFrame& frame) const {
    return m_arithmetic == Arithmetic::BF16 && m_kernel->type == DType::F32 &&
           frame.pixels.dtype() == DType::F32;
}

/// What all phases read for a unit.
PatchPlace PackedConvolution::locatePatch(const Unit& unit) const {
    const ConvolutionPhase& first = m_phases.front();
    const ConvolutionPhase& last = m_phases.back();
    const std::int64_t stride = m_geometry.spaceStride;
    return {.firstRow = unit.firstRow * stride + first.firstRow,
            .firstColumn = unit.firstColumn * stride + first.firstColumn,
            .rows = (unit.rows - 1) * stride + last.firstRow + last.height - first.firstRow,
            .columns = (unit.columns - 1) * stride + last.firstColumn + last.width - first.firstColumn};
}

std::int64_t PackedConvolution::patchBytes(const Unit& unit) const {
    const PatchPlace patch = locatePatch(unit);
    return patch.rows * patch.columns * m_inChannels * static_cast<std::int64_t>(sizeOf(m_kernel->type));
}

PackedConvolution::Unit PackedConvolution::unitShape(const Call& call, int workers) const {
    const std::int64_t height = ceilDivide(call.outHeight, m_geometry.upsample);
    const std::int64_t width = ceilDivide(call.outWidth, m_geometry.upsample);
    const auto shapeOf = [&](std::int64_t rows, std::int64_t columns) {
        return Unit{.rows = std::min(rows, height),
                    .columns = roundUp(ceilDivide(width, ceilDivide(width, columns)), m_kernel->pixels)};
    };
    const auto fits = [&](const Unit& unit) {
        return m_kernelFrames * patchBytes(unit) <= patchBudget &&
               unit.rows * unit.columns * paddedOuts() * floatBytes <= sumBudget;
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

void PackedConvolution::apply(const Execution& execution, std::span<const ConvolutionFrame> frames,
                              std::int64_t height, std::int64_t width, const MatrixSpan& out,
                              const ConvolutionEpilogue& epilogue) const {
    const Call call{frames, height,  width, outHeight(height), outWidth(width), outFrames(std::ssize(frames)),
                    out,    epilogue};
    requireFit(call, out);
    if (out.rows() == 0)
        return;
    if (!out.isOnHost() || !m_bias.isOnHost())
        return applyOnGpu(execution, call);
    const Unit shape = unitShape(call, execution.workers.size());
    const std::int64_t rows = ceilDivide(ceilDivide(call.outHeight, m_geometry.upsample), shape.rows);
    const std::int64_t columns = ceilDivide(ceilDivide(call.outWidth, m_geometry.upsample), shape.columns);
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

void PackedConvolution::applyOnGpu(const Execution& execution, const Call& call) const {
    GpuWork& gpu = requireGpu(execution, {call.out, MatrixView(m_bias)});
    const auto inMemory = std::ranges::find_if(
        call.frames, [](const ConvolutionFrame& frame) { return frame.pixels.rows() > 0; });
    if (inMemory == call.frames.end() || m_kernelFrames > std::ssize(GpuConvolution().frames) ||
        (call.epilogue.norm != nullptr && call.epilogue.addToOutput))
        throw Error(ErrorKind::Internal, "a GPU does not compute this kind of convolution");
    const MatrixView& like = inMemory->pixels;
    GpuConvolution convolution{
        .like = gpuMatrix(like),
        .height = call.height,
        .width = call.width,
        .kernelFrames = m_kernelFrames,
        .spaceStride = m_geometry.spaceStride,
        .upsample = m_geometry.upsample,
        .outHeight = call.outHeight,
        .outWidth = call.outWidth,
        .bias = gpuMatrix(MatrixView(m_bias)).address,
        .roundsFeatures = m_arithmetic == Arithmetic::BF16 && like.dtype() == DType::F32,
        .addToOutput = call.epilogue.addToOutput};
    const GpuMatrix out = gpuMatrix(call.out);
    for (std::int64_t frame = 0; frame < call.outFrames; ++frame) {
        for (std::int64_t kernelFrame = 0; kernelFrame < m_kernelFrames; ++kernelFrame) {
            const ConvolutionFrame& source =
                call.frames[static_cast<std::size_t>(frame * m_geometry.timeStride + kernelFrame)];
            GpuAddress& address = convolution.frames.at(static_cast<std::size_t>(kernelFrame));
            address = 0;
            if (source.pixels.rows() == 0)
                continue;
            static_cast<void>(requireGpu(execution, {source.pixels}));
            if (source.left.rows() > 0 || source.right.rows() > 0 || source.pixels.dtype() != like.dtype() ||
                source.pixels.stride() != like.stride())
                throw Error(ErrorKind::Internal, "a convolution on a GPU takes whole frames of one layout");
            address = gpuMatrix(source.pixels).address;
        }
        const GpuMatrix y = out.slice(frame * call.outHeight * call.outWidth, call.outHeight * call.outWidth);
        for (const ConvolutionPhase& phase : m_phases) {
            convolution.kernelHeight = phase.height;
            convolution.kernelWidth = phase.width;
            convolution.firstRow = phase.firstRow;
            convolution.firstColumn = phase.firstColumn;
            convolution.row = phase.row;
            convolution.column = phase.column;
            const std::int64_t features = m_kernelFrames * phase.height * phase.width * m_inChannels;
            convolution.weights = gpuMatrix(MatrixView(phase.weights.reshaped({features, paddedOuts()})))
                                      .columns(0, m_outChannels);
            convolve(gpu.pipelines(), gpu.stream(), convolution, y);
        }
    }
    if (call.epilogue.norm != nullptr)
        call.epilogue.norm->apply(execution, call.out, call.out);
}

void PackedConvolution::compute(const Call& call, const Unit& whole, Workspace& workspace) const {
    const std::int64_t upsample = m_geometry.upsample;
    Unit unit = whole;
    unit.rows = std::min(unit.rows, ceilDivide(call.outHeight, upsample) - unit.firstRow);
    unit.columns = std::min(
        unit.columns, roundUp(ceilDivide(call.outWidth, upsample) - unit.firstColumn, m_kernel->pixels));
    const PatchPlace place = locatePatch(unit);
    const std::int64_t framePatch = patchBytes(unit);
    // A tap padded to the kernel's depth reads that far past the last pixel, against weights of zero.
    const std::int64_t slack = m_kernel->depth * static_cast<std::int64_t>(sizeOf(m_kernel->type));
    auto* patches = workspace.patches.take<std::byte>(m_kernelFrames * framePatch + slack);
    std::fill_n(patches + m_kernelFrames * framePatch, slack, std::byte{});
    workspace.framePatches.assign(static_cast<std::size_t>(m_kernelFrames), nullptr);
    std::byte* next = patches + m_kernelFrames * framePatch;
    for (std::int64_t kernelFrame = m_kernelFrames; kernelFrame-- > 0;) {
        const ConvolutionFrame& frame =
            call.frames[static_cast<std::size_t>(unit.frame * m_geometry.timeStride + kernelFrame)];
        if (frame.pixels.rows() == 0)
            continue;
        // From the end, so that what follows a patch has been written.
        next -= framePatch;
        gatherPatch(frame, call.width, place, m_kernel->type, next);
        if (roundsPatch(frame))
            roundToBFloat16(
                {reinterpret_cast<float*>(next), static_cast<std::size_t>(framePatch) / floatBytes});
        workspace.framePatches[static_cast<std::size_t>(kernelFrame)] = next;
    }
    for (const ConvolutionPhase& phase : m_phases) {
        accumulate(phase, unit, workspace);
        store(phase, call, unit, workspace);
    }
}

void PackedConvolution::accumulate(const ConvolutionPhase& phase, const Unit& unit,
                                   Workspace& workspace) const {
    const ConvolutionPhase& first = m_phases.front();
    const auto typeBytes = static_cast<std::int64_t>(sizeOf(m_kernel->type));
    const std::int64_t patchColumns = locatePatch(unit).columns;
    const std::int64_t pixels = unit.rows * unit.columns;
    auto* sums = workspace.sums.take<float>(pixels * paddedOuts());
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
        std::ranges::copy(m_bias.data<float>(), sums + pixel * paddedOuts());
    workspace.taps.clear();
    for (std::int64_t kernelFrame = 0; kernelFrame < m_kernelFrames; ++kernelFrame) {
        const std::byte* patch = workspace.framePatches[static_cast<std::size_t>(kernelFrame)];
        for (std::int64_t row = 0; patch != nullptr && row < phase.height; ++row) {
            const std::int64_t pixel = (phase.firstRow - first.firstRow + row) * patchColumns +
                                       phase.firstColumn - first.firstColumn;
            workspace.taps.push_back({.features = patch + pixel * m_inChannels * typeBytes,
                                      .index = kernelFrame * phase.height + row});
        }
    }
    const std::int64_t pixelStride = m_geometry.spaceStride * m_inChannels;
    m_kernel->accumulate({.taps = workspace.taps.data(),
                          .tapCount = std::ssize(workspace.taps),
                          .features = phase.features(m_inChannels, *m_kernel),
                          .rows = unit.rows,
                          .columns = unit.columns,
                          .rowStride = patchColumns * pixelStride,
                          .pixelStride = pixelStride,
                          .weights = phase.weights.raw(),
                          .packedTaps = m_kernelFrames * phase.height,
                          .channels = paddedOuts(),
                          .sums = sums});
}

void PackedConvolution::store(const ConvolutionPhase& phase, const Call& call, const Unit& unit,
                              Workspace& workspace) const {
    const auto channels = static_cast<std::size_t>(m_outChannels);
    auto* sums = workspace.sums.take<float>(unit.rows * unit.columns * paddedOuts());
    const std::span<float> before{workspace.row.take<float>(m_outChannels), channels};
    for (std::int64_t row = 0; row < unit.rows; ++row) {
        const std::int64_t outRow = (unit.firstRow + row) * m_geometry.upsample + phase.row;
        if (outRow >= call.outHeight)
            break;
        for (std::int64_t column = 0; column < unit.columns; ++column) {
            const std::int64_t outColumn = (unit.firstColumn + column) * m_geometry.upsample + phase.column;
            if (outColumn >= call.outWidth)
                break;
            const std::int64_t pixel = (unit.frame * call.outHeight + outRow) * call.outWidth + outColumn;
            const std::span<float> sum{sums + (row * unit.columns + column) * paddedOuts(), channels};
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

}  // namespace meshreel
