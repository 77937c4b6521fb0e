// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/machine_peaks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "engine/base/elapsed.h"
#include "engine/base/number_types.h"
#include "engine/base/numbers.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/rows/exponential.h"
#include "engine/models/families/random_checkpoint.h"
#include "engine/tensor/matrix_view.h"

namespace meshreel {
Tensor randomRows(const Execution& execution, const Shape& shape, DType type, float deviation,
                  std::uint64_t seed) {
    constexpr std::int64_t pieceElements = std::int64_t{1} << 20;
    Tensor result = Tensor::empty(shape, type);
    const RandomWeights random(seed);
    std::vector<float> piece;
    // The generator takes the deviation from the elements of one output.
    const float rescale = deviation * std::sqrt(static_cast<float>(shape.elements()));
    for (std::int64_t first = 0; first < shape.elements(); first += pieceElements) {
        piece.resize(static_cast<std::size_t>(std::min(pieceElements, shape.elements() - first)));
        random.fill(execution.workers, "rows", {1, shape.elements()}, first, piece);
        for (float& value : piece)
            value *= rescale;
        if (type == DType::F32)
            std::ranges::copy(piece, result.data<float>().begin() + first);
        else
            std::ranges::transform(piece, result.data<BFloat16>().begin() + first, toBFloat16);
    }
    return result;
}

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

double MeasuredTime::meanPeak() const {
    return std::accumulate(peaks.begin(), peaks.end(), 0.0) / static_cast<double>(peaks.size());
}

double MeasuredTime::peakSpread() const {
    if (peaks.empty())
        return 0;
    const auto [least, largest] = std::ranges::minmax(peaks);
    return (largest - least) / meanPeak();
}

MeasuredTime measureRounds(const StopToken& stop, const Rounds& rounds, const std::function<void()>& work,
                           const std::function<void()>& beside) {
    work();
    std::vector<double> times;
    double counted = 0;
    bool wasBetween = false;
    const auto goesOn = [&] {
        const int done = static_cast<int>(times.size());
        return done < rounds.least || (done < rounds.most && counted < rounds.seconds);
    };
    const auto isHalfDone = [&] {
        return 2 * static_cast<int>(times.size()) >= rounds.most || 2 * counted >= rounds.seconds;
    };
    if (beside)
        beside();
    do {
        throwIfStopped(stop);
        const Clock::time_point start = Clock::now();
        work();
        times.push_back(secondsSince(start));
        counted += times.back();
        if (beside && !wasBetween && isHalfDone() && goesOn()) {
            wasBetween = true;
            beside();
        }
    } while (goesOn());
    if (beside)
        beside();
    const auto [fastest, slowest] = std::ranges::minmax(times);
    return {.median = computeMedian(times),
            .fastest = fastest,
            .slowest = slowest,
            .rounds = static_cast<int>(times.size()),
            .seconds = times};
}

namespace {

struct ProductShape {
    std::int64_t rows;
    std::int64_t out;
    std::int64_t in;
};

// Large enough that every worker's part is, whatever the machine's share of rows and columns.
constexpr std::array productShapes{
    ProductShape{2048, 1536, 1536}, ProductShape{4096, 1536, 1536}, ProductShape{2048, 8960, 1536},
    ProductShape{2048, 3072, 3072}, ProductShape{2048, 2048, 4096},
};

// Says little, at once.
constexpr std::array hastyShapes{ProductShape{256, 512, 512}};

Rounds listRounds(const PeakEffort& effort) {
    constexpr int medianNeeds = 3;
    constexpr int unlimited = 1000;
    const bool hasty = effort.shapeSeconds == 0;
    return {.least = hasty ? 1 : medianNeeds, .most = unlimited, .seconds = effort.shapeSeconds};
}

PeakRate rateOf(double work, const MeasuredTime& time) {
    return {.perSecond = work / time.median, .time = time};
}

PeakRate productRate(const Execution& execution, Arithmetic arithmetic, const ProductShape& shape,
                     const PeakEffort& effort) {
    const DType type = arithmetic == Arithmetic::F32 ? DType::F32 : DType::BF16;
    const PackedMatrix matrix =
        PackedMatrix::pack(randomRows(execution, {shape.out, shape.in}, type), nullptr, arithmetic);
    const Tensor x = randomRows(execution, {shape.rows, shape.in}, type);
    Tensor y = Tensor::empty({shape.rows, shape.out}, type);
    const MeasuredTime time = measureRounds(execution.stop, listRounds(effort),
                                            [&] { matrix.apply(execution, MatrixView(x), MatrixSpan(y)); });
    const double operations = 2.0 * static_cast<double>(shape.rows * shape.out * shape.in);
    PeakRate rate = rateOf(operations, time);
    rate.details = {{"m", static_cast<double>(shape.rows)},
                    {"n", static_cast<double>(shape.out)},
                    {"k", static_cast<double>(shape.in)}};
    return rate;
}

}  // namespace

std::string matmulPeakName(Arithmetic arithmetic) {
    return "peak.matmul." + std::string(nameOf(arithmetic));
}

PeakRate matmulPeak(const Execution& execution, Arithmetic arithmetic, const PeakEffort& effort) {
    const bool hasty = effort.shapeSeconds == 0;
    PeakRate best;
    for (const ProductShape& shape :
         hasty ? std::span<const ProductShape>(hastyShapes) : std::span<const ProductShape>(productShapes)) {
        const PeakRate rate = productRate(execution, arithmetic, shape, effort);
        if (rate.perSecond > best.perSecond)
            best = rate;
    }
    return best;
}

double matmulRateNow(const Execution& execution, Arithmetic arithmetic, const PeakRate& peak,
                     double seconds) {
    const auto extent = [&](std::string_view name) {
        return static_cast<std::int64_t>(
            std::ranges::find(peak.details, name, &std::pair<std::string, double>::first)->second);
    };
    const ProductShape shape{.rows = extent("m"), .out = extent("n"), .in = extent("k")};
    return productRate(execution, arithmetic, shape, {.shapeSeconds = seconds}).perSecond;
}

PeakRate bandwidthPeak(const Execution& execution, const PeakEffort& effort) {
    constexpr std::size_t arrays = 3;
    const auto elements = static_cast<std::int64_t>(effort.bandwidthBytes / arrays / sizeof(float));
    Tensor a = Tensor::empty({elements});
    Tensor b = Tensor::empty({elements});
    Tensor c = Tensor::empty({elements});
    const auto into = a.data<float>();
    const auto first = b.data<float>();
    const auto second = c.data<float>();
    const auto part = [](std::span<float> values, std::int64_t begin, std::int64_t end) {
        return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    };
    execution.workers.parallelFor(elements, [&](std::int64_t begin, std::int64_t end) {
        for (const auto& array : {into, first, second})
            std::ranges::fill(part(array, begin, end), 1.0F);
    });
    const MeasuredTime time = measureRounds(execution.stop, listRounds(effort), [&] {
        execution.workers.parallelFor(elements, [&](std::int64_t begin, std::int64_t end) {
            constexpr float factor = 0.5F;
            float* to = into.data();
            const float* from = first.data();
            const float* other = second.data();
#pragma GCC ivdep
            for (std::int64_t i = begin; i < end; ++i)
                to[i] = from[i] + factor * other[i];
        });
    });
    return rateOf(static_cast<double>(arrays * sizeof(float)) * static_cast<double>(elements), time);
}

PeakRate exponentialPeak(const Execution& execution, const PeakEffort& effort) {
    constexpr std::int64_t cached = 4096;
    constexpr std::int64_t repeats = 256;
    const std::int64_t workers = execution.workers.size();
    Tensor numbers = randomRows(execution, {workers, cached}, DType::F32);
    const auto values = numbers.data<float>();
    const MeasuredTime time = measureRounds(execution.stop, listRounds(effort), [&] {
        execution.workers.parallelFor(workers, [&](std::int64_t begin, std::int64_t) {
            float* own = values.data() + begin * cached;
            for (std::int64_t repeat = 0; repeat < repeats; ++repeat)
#pragma GCC ivdep
                for (std::int64_t i = 0; i < cached; ++i)
                    own[i] = -exponential(own[i]);  // stays between -1 and 0
        });
    });
    return rateOf(static_cast<double>(workers * cached * repeats), time);
}

}  // namespace meshreel
