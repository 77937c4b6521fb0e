// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/attention_trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include "engine/attention/attention_mode.h"
#include "engine/attention/attention_plan.h"
#include "engine/attention/attention_volume.h"
#include "engine/attention/sharded_attention.h"
#include "engine/base/error.h"
#include "engine/base/numbers.h"
#include "engine/base/worker_pool.h"
#include "engine/mesh/memory_block.h"
#include "engine/mesh/mesh_layout.h"
#include "engine/mesh/transport.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/scratch_arena.h"
#include "engine/tensor/shape.h"
#include "engine/tensor/tensor.h"
#include "engine/verification/attention_case.h"
#include "engine/verification/attention_reference.h"

namespace meshreel {
namespace {

/// Queries compared at a time, so that the float64 outputs of a long sequence need not be kept.
constexpr std::int64_t stripQueries = 256;

double scaleOf(const AttentionCase& attention) {
    return 1.0 / std::sqrt(static_cast<double>(attention.headDim));
}

/// What the devices report to each other about a trial.
struct DeviceRecord {
    std::int64_t modeRow = 0;  ///< row in attentionModes()
    std::int64_t rotations = 0;
    ShardRange heads;
    ShardRange queryTokens;
    double seconds = 0;
    double computeSeconds = 0;
    double waitSeconds = 0;
    std::int64_t bytesReceived = 0;
    std::int64_t boundedBlocks = 0;
    std::int64_t fallbackBlocks = 0;
    double maxAbsError = 0;
    double sumAbsError = 0;
};
static_assert(std::is_trivially_copyable_v<DeviceRecord>);

struct DeviceOutput {
    DeviceRecord record;
    FixedMOutcome fixedM;  // heads of all devices
    Tensor out;
};

std::int64_t modeRow(std::string_view mode) {
    const auto modes = attentionModes();
    return std::ranges::find(modes, mode, &AttentionMode::name) - modes.begin();
}

AttentionDimensions toDimensions(const AttentionCase& attention) {
    return {.batch = attention.batch,
            .queryLength = attention.queryLength,
            .keyLength = attention.keyLength,
            .heads = attention.heads,
            .headDim = attention.headDim,
            .elementBytes = static_cast<std::int64_t>(byteSize(attention.type))};
}

/// Room for what attendSharded() takes; untouched pages cost nothing, and what does not fit is allocated.
ScratchArena scratchFor(const ShardedAttentionInputs& inputs, std::int64_t bytesReceived) {
    constexpr std::int64_t copies = 6;
    const auto own = static_cast<std::int64_t>(inputs.query.bytes() + inputs.key.bytes());
    return ScratchArena(Tensor::empty(Shape{copies * own + 2 * bytesReceived}, DType::U8));
}

std::int64_t expectedBytes(const AttentionCase& attention) {
    return totalBytes(attentionVolume(attention.plan(), toDimensions(attention)));
}

/// One device's share of a trial: its inputs, and what it measured.
class DeviceProgram {
  public:
    DeviceProgram(Device& device, const AttentionCase& attention, std::span<const std::uint8_t> keyMask)
        : m_device(device),
          m_attention(attention),
          m_plan(attention.plan()),
          m_query(operand(AttentionOperand::Query, attention.queryLength)),
          m_key(operand(AttentionOperand::Key, attention.keyLength)),
          m_value(operand(AttentionOperand::Value, attention.keyLength)),
          m_inputs{.queryLength = attention.queryLength,
                   .keyLength = attention.keyLength,
                   .query = m_query,
                   .key = m_key,
                   .value = m_value,
                   .keyMask = keyMask,
                   .scale = scaleOf(attention)},
          m_out(Tensor::empty(m_inputs.query.shape(), attention.type)) {}

    DeviceOutput run(int repeat) {
        ScratchArena scratch = scratchFor(m_inputs, expectedBytes(m_attention) / m_attention.devices);
        if (repeat > 1)
            runOnce(scratch);
        std::vector<double> seconds;
        std::vector<double> compute;
        std::vector<double> wait;
        DeviceRecord record;
        for (int repetition = 0; repetition < repeat; ++repetition) {
            record = runOnce(scratch);
            seconds.push_back(record.seconds);
            compute.push_back(record.computeSeconds);
            wait.push_back(record.waitSeconds);
        }
        record.seconds = computeMedian(std::move(seconds));
        record.computeSeconds = computeMedian(std::move(compute));
        record.waitSeconds = computeMedian(std::move(wait));
        return {.record = record, .fixedM = m_fixedM, .out = m_out};
    }

  private:
    Tensor operand(AttentionOperand which, std::int64_t length) {
        const ShardRange tokens = shardRange(length, m_attention.devices, m_device.at().context);
        return attentionOperand(m_attention, which, tokens, m_device.execution().workers);
    }

    DeviceRecord runOnce(ScratchArena& scratch) {
        m_inputs.query = m_query.clone();  // may be overwritten
        m_inputs.key = m_key.clone();
        m_inputs.value = m_value.clone();
        m_device.everyone().barrier();
        const TransferCounters before = m_device.counters();
        const auto start = std::chrono::steady_clock::now();
        const AttentionReport report = attendSharded(m_device, m_plan, m_inputs, m_out, scratch);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        const TransferCounters after = m_device.counters();
        auto slowest = static_cast<float>(elapsed.count());
        m_device.everyone().allReduceMax({&slowest, 1});
        m_fixedM = mergeWorst(m_device.everyone(), report.fixedM);
        const double waited = after.waitSeconds - before.waitSeconds;
        return {.modeRow = modeRow(report.effectiveMode),
                .rotations = report.rotations,
                .heads = report.heads,
                .queryTokens = report.queryTokens,
                .seconds = static_cast<double>(slowest),
                .computeSeconds = std::max(0.0, elapsed.count() - waited),
                .waitSeconds = waited,
                .bytesReceived = after.bytesReceived - before.bytesReceived,
                .boundedBlocks = report.fixedM.boundedBlocks,
                .fallbackBlocks = report.fixedM.fallbackBlocks};
    }

    Device& m_device;
    const AttentionCase& m_attention;
    AttentionPlan m_plan;
    Tensor m_query;
    Tensor m_key;
    Tensor m_value;
    ShardedAttentionInputs m_inputs;
    Tensor m_out;
    FixedMOutcome m_fixedM;
};

/// The reference's view of the whole attention, made anew from the seed.
class ReferenceOperands {
  public:
    ReferenceOperands(const AttentionCase& attention, std::span<const std::uint8_t> keyMask,
                      WorkerPool& workers)
        : m_query(whole(attention, AttentionOperand::Query, attention.queryLength, workers)),
          m_key(whole(attention, AttentionOperand::Key, attention.keyLength, workers)),
          m_value(whole(attention, AttentionOperand::Value, attention.keyLength, workers)),
          m_attention{.batch = attention.batch,
                      .heads = attention.heads,
                      .headDim = attention.headDim,
                      .queryLength = attention.queryLength,
                      .keyLength = attention.keyLength,
                      .query = std::as_const(m_query).data<float>(),
                      .key = std::as_const(m_key).data<float>(),
                      .value = std::as_const(m_value).data<float>(),
                      .keyMask = keyMask,
                      .scale = scaleOf(attention)} {}

    [[nodiscard]] const ReferenceAttention& attention() const { return m_attention; }

  private:
    static Tensor whole(const AttentionCase& attention, AttentionOperand operand, std::int64_t length,
                        WorkerPool& workers) {
        return attentionOperand(attention, operand, {0, length}, workers).toF32();
    }

    Tensor m_query;
    Tensor m_key;
    Tensor m_value;
    ReferenceAttention m_attention;
};

/// Adds the errors of `strip` [batch, strip.size(), width] to the record; `out` [batch, tokens, width]
/// begins at `firstToken`.
void addErrors(std::span<const float> out, std::int64_t tokens, std::int64_t firstToken, ShardRange strip,
               std::span<const double> reference, std::int64_t width, std::int64_t batch,
               DeviceRecord& record) {
    for (std::int64_t row = 0; row < batch; ++row) {
        const float* ours = out.data() + (row * tokens + strip.begin - firstToken) * width;
        const double* theirs = reference.data() + row * strip.size() * width;
        for (std::int64_t i = 0; i < strip.size() * width; ++i) {
            const double error = std::abs(static_cast<double>(ours[i]) - theirs[i]);
            record.maxAbsError = std::isfinite(error) ? std::max(record.maxAbsError, error)
                                                      : std::numeric_limits<double>::infinity();
            record.sumAbsError += error;
        }
    }
}

/// `out` [batch, tokens, heads, headDim].
void compare(const ReferenceAttention& reference, const Tensor& out, ShardRange tokens, WorkerPool& workers,
             const StopToken& stop, DeviceRecord& record) {
    const std::int64_t width = reference.heads * reference.headDim;
    const auto values = out.data<float>();
    std::vector<double> expected;
    for (std::int64_t first = tokens.begin; first < tokens.end; first += stripQueries) {
        throwIfStopped(stop);
        const ShardRange strip{first, std::min(tokens.end, first + stripQueries)};
        expected.resize(static_cast<std::size_t>(reference.batch * strip.size() * width));
        computeReference(reference, strip.begin, strip.size(), workers, expected);
        addErrors(values, tokens.size(), tokens.begin, strip, expected, width, reference.batch, record);
    }
}

void compareAll(DeviceMesh& mesh, const AttentionCase& attention, std::span<const std::uint8_t> keyMask,
                const TrialOptions& options, const StopToken& stop, std::vector<DeviceOutput>& outputs) {
    const ReferenceOperands reference(attention, keyMask, mesh.hostWorkers());
    for (std::size_t local = 0; local < outputs.size(); ++local) {
        const int device = mesh.firstDevice() + static_cast<int>(local);
        const ShardRange tokens = shardRange(attention.queryLength, attention.devices, device);
        Tensor out = outputs[local].out.toF32();
        if (device == 0)
            out.data<float>().front() += static_cast<float>(options.perturbation);
        compare(reference.attention(), out, tokens, mesh.hostWorkers(), stop, outputs[local].record);
    }
}

/// The records of all devices, in every process.
std::vector<DeviceRecord> shareRecords(DeviceMesh& mesh, const StopToken& stop,
                                       const std::vector<DeviceOutput>& outputs) {
    std::vector<DeviceRecord> all;
    mesh.run(stop, nullptr, [&](Device& device) {
        std::vector<DeviceRecord> records(static_cast<std::size_t>(device.layout().devices()));
        std::vector<Block> parts;
        for (DeviceRecord& record : records)
            parts.push_back(toBlock(std::span(&record, 1)));
        const DeviceRecord& own =
            outputs[static_cast<std::size_t>(device.index() - mesh.firstDevice())].record;
        device.everyone().allGather(toBlock(std::span(&own, 1)), parts);
        if (device.index() == mesh.firstDevice())
            all = std::move(records);
    });
    return all;
}

AttentionMeasurement summarise(const AttentionCase& attention, const FixedMOutcome& fixedM,
                               const std::vector<DeviceRecord>& records) {
    AttentionMeasurement trial;
    trial.fixedM = fixedM;
    trial.fixedM.boundedBlocks = 0;
    trial.fixedM.fallbackBlocks = 0;
    double sum = 0;
    for (const DeviceRecord& record : records) {
        trial.maxAbsError = std::max(trial.maxAbsError, record.maxAbsError);
        sum += record.sumAbsError;
        trial.bytesMoved += record.bytesReceived;
        trial.fixedM.boundedBlocks += record.boundedBlocks;
        trial.fixedM.fallbackBlocks += record.fallbackBlocks;
        trial.devices.push_back({.device = static_cast<int>(trial.devices.size()),
                                 .heads = record.heads,
                                 .queryTokens = record.queryTokens,
                                 .computeSeconds = record.computeSeconds,
                                 .waitSeconds = record.waitSeconds});
    }
    const DeviceRecord& first = records.front();
    trial.meanAbsError = sum / static_cast<double>(attention.batch * attention.queryLength * attention.heads *
                                                   attention.headDim);
    trial.seconds = first.seconds;
    trial.bytesExpected = expectedBytes(attention);
    trial.rotations = static_cast<int>(first.rotations);
    trial.effectiveMode = attentionModes()[static_cast<std::size_t>(first.modeRow)].name;
    return trial;
}

}  // namespace

DeviceMeshOptions trialMesh(const AttentionCase& attention) {
    return {.layout = MeshLayout({.context = attention.devices})};
}

AttentionMeasurement runTrial(DeviceMesh& mesh, const AttentionCase& attention, const TrialOptions& options,
                              const StopToken& stop) {
    requireLegal(attention);
    if (mesh.layout() != trialMesh(attention).layout)
        throw Error(ErrorKind::Internal, "attention trial: the mesh is not the case's");
    const std::vector<std::uint8_t> keyMask = keepMask(attention);
    std::vector<DeviceOutput> outputs(static_cast<std::size_t>(mesh.localDevices()));
    mesh.run(stop, nullptr, [&](Device& device) {
        outputs[static_cast<std::size_t>(device.index() - mesh.firstDevice())] =
            DeviceProgram(device, attention, keyMask).run(options.repeat);
    });
    compareAll(mesh, attention, keyMask, options, stop, outputs);
    return summarise(attention, outputs.front().fixedM, shareRecords(mesh, stop, outputs));
}

void requireSound(const AttentionMeasurement& trial, const AttentionCase& attention) {
    const auto refuse = [&](Sentence message) {
        throw Error(ErrorKind::Mismatch, std::move(message), attention.text(),
                    sentence("This is a defect of Meshreel; please report it with this line"));
    };
    if (!std::isfinite(trial.maxAbsError))
        refuse(sentence("an output is not a finite number"));
    if (trial.bytesMoved != trial.bytesExpected)
        refuse(
            sentence("{} bytes were moved, and {} should have been", trial.bytesMoved, trial.bytesExpected));
    for (const DeviceMeasurement& device : trial.devices)
        if (device.heads != headRanges(attention, device.device).front())
            refuse(sentence("device {} computed heads from {} to {}", device.device, device.heads.begin,
                            device.heads.end));
    const bool ring = attention.settings.mode->rotation != Rotation::None;
    const int rotations = ring ? attention.plan().split.ring - 1 : 0;
    if (trial.rotations != rotations)
        refuse(sentence("keys were rotated {} times, and should have been {}", trial.rotations, rotations));
    if (trial.effectiveMode != attention.settings.mode->name)
        refuse(sentence("{} ran instead", trial.effectiveMode));
}

}  // namespace meshreel
