// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/measure/benchmarks/gpu_peak_benchmarks.h"

#include <cstddef>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/kernels/device_kernels.h"
#include "engine/kernels/rows/elementwise.h"
#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/tensor/matrix_view.h"
#include "engine/tensor/tensor.h"

namespace meshreel {

void benchmarkGpuPeaks(GpuBenchmarkRun& run) {
    DevicePeaks work(run.execution());
    for (std::size_t index = 0; index < work.peaks().size(); ++index) {
        const DevicePeaks::Peak& peak = work.peaks()[index];
        // A form of PTX is compared with the highest peak: it has none of its own.
        if (run.onlyForm() && !isOfPtx(*run.onlyForm()) && *run.onlyForm() != peak.form)
            continue;
        double flops = 0;
        const auto record = [&](std::uint32_t rounds) {
            return [&, rounds] { flops = work.compute(index, rounds); };
        };
        try {
            // As many rounds as take about 5 ms.
            constexpr double wanted = 0.005;
            std::uint32_t rounds = 1;
            double seconds = run.secondsOnce(record(rounds));
            while (seconds < wanted && rounds < 1U << 20U) {
                rounds *= 4;
                seconds = run.secondsOnce(record(rounds));
            }
            const MeasuredTime time = run.measure(record(rounds));
            run.addPeak(peak, flops, time);
        } catch (const Error& failure) {
            if (failure.kind() != ErrorKind::Device || peak.form == MatrixForm::Scalar)
                throw;  // a form that the driver refuses is one row less
        }
    }
}

void benchmarkGpuBandwidth(GpuBenchmarkRun& run) {
    const std::int64_t rows = run.options().quick ? 256 : 32768;
    constexpr std::int64_t width = 2048;
    Tensor into = Tensor::zeros({rows, width}).in(&run.gpu().memory());
    const Tensor values = Tensor::zeros({rows, width}).in(&run.gpu().memory());
    const MeasuredTime time =
        run.measure([&] { addRows(run.execution(), MatrixSpan(into), MatrixView(values)); });
    // Two numbers are read and one is written.
    run.addBytes("gpu.peak.bandwidth", 3.0 * real(rows * width) * sizeof(float), time);
}

void benchmarkGpuTransfer(GpuBenchmarkRun& run) {
    const std::int64_t elements = (run.options().quick ? 1 : 64) * std::int64_t{1} << 20;
    const Tensor here = Tensor::zeros({elements});
    Tensor there = here.in(&run.gpu().memory());
    const auto bytes = static_cast<double>(here.bytes());
    const Rounds rounds{.most = run.options().quick ? 1 : 3, .seconds = run.options().rowSeconds};
    run.addBytes("gpu.transfer.to", bytes, measureRounds(run.execution().stop, rounds, [&] {
                     there = here.in(&run.gpu().memory());
                     run.gpu().finish(run.execution().stop);
                 }));
    run.addBytes("gpu.transfer.from", bytes,
                 measureRounds(run.execution().stop, rounds, [&] { static_cast<void>(there.host()); }));
}

}  // namespace meshreel
