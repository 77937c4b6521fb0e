// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/foresight/mesh_foresight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "engine/base/numbers.h"
#include "engine/kernels/attention/kernel_table.h"

namespace meshreel {
namespace {

constexpr int mostScaledDevices = 4096;
constexpr std::array<std::int64_t, 8> customQueries{1024, 2048, 3024, 4096, 6400, 7424, 8448, 9472};
constexpr std::array<std::int64_t, 4> flashQueries{1024, 2048, 3024, 4096};
constexpr std::array<std::int64_t, 2> keyBlocks{1024, 2048};

std::vector<int> ascendingDivisors(int number) {
    std::vector<int> all;
    for (int divisor = 1; divisor <= number; ++divisor)
        if (number % divisor == 0)
            all.push_back(divisor);
    return all;
}

bool computeTheSame(const AttentionMode& one, const AttentionMode& other) {
    return one.exchange == other.exchange && one.rotation == other.rotation && one.kernel == other.kernel;
}

/// Collects the meshes of one number of devices.
class MeshCollector {
  public:
    MeshCollector(const AcceleratorCase& of, int devices, const Foresight& foresight)
        : m_of(of), m_devices(devices), m_foresight(foresight), m_modes(attentionModesOn(*of.hardware)) {}

    MeshForesight collect() {
        const int rows = static_cast<int>(m_of.forwards * real(m_of.videos));
        for (const int data : ascendingDivisors(m_devices)) {
            if (rows % data != 0)
                continue;
            for (const int fsdp : ascendingDivisors(m_devices / data))
                if (rows % (data * fsdp) == 0)
                    addShapes({.data = data, .fsdp = fsdp}, m_devices / data / fsdp);
        }
        std::ranges::stable_sort(m_result.meshes, {}, [](const ForeseenMesh& mesh) {
            return std::tuple(!mesh.fits(), mesh.seconds.step.total());
        });
        if (!m_result.meshes.empty())
            m_result.basis = m_foresight.efficiencies.basisFor(m_result.meshes.front().of);
        return std::move(m_result);
    }

  private:
    void addShapes(AcceleratorMesh mesh, int devices) {
        const auto heads = static_cast<int>(m_of.model->transformer.heads);
        for (const int tensor : ascendingDivisors(devices)) {
            if (heads % tensor != 0)
                continue;
            mesh.tensor = tensor;
            const int context = devices / tensor;
            if (context > m_of.tokens())
                continue;
            for (const AttentionMode* mode : m_modes)
                addMode(mesh, context, *mode, heads / tensor);
        }
    }

    void addMode(AcceleratorMesh mesh, int context, const AttentionMode& mode, int heads) {
        if (mode.exchange == Exchange::Gather) {
            mesh.gathered = context;
            if (context == 1 || m_of.program->gathersKeys)
                add(mesh, mode);
            return;
        }
        if (mode.exchange == Exchange::None) {
            if (context > 1) {
                mesh.ring = context;
                add(mesh, mode);
            }
            return;
        }
        if (!mode.hybrid()) {
            if (!exchangesHeads(*m_of.program, heads, context))
                return refuse(mesh, context, mode, heads);
            // On one device the flash kernel is already among the gathering modes.
            if (context == 1 && mode.kernel == AttentionKernel::Flash)
                return;
            mesh.ulysses = context;
            return add(mesh, mode);
        }
        for (const int ulysses : ascendingDivisors(context))
            if (ulysses > 1 && ulysses < context && exchangesHeads(*m_of.program, heads, ulysses)) {
                mesh.ulysses = ulysses;
                mesh.ring = context / ulysses;
                if (mesh.ring > 2 || mode.rotation != Rotation::BidirectionalRing)  // else both are one
                    add(mesh, mode);
            }
    }

    void refuse(const AcceleratorMesh& mesh, int context, const AttentionMode& mode, int heads) {
        m_result.refused.push_back(
            {.what = fmt::format("dp{}-cp{}{} {}", mesh.data, context,
                                 mesh.tensor > 1 ? fmt::format("-tp{}", mesh.tensor) : "", mode.name),
             .why = heads < context ? sentence("{} heads are fewer than the {} devices of the context axis",
                                               heads, context)
                                    : sentence("{} does not exchange {} heads between {} devices",
                                               m_of.program->name, heads, context)});
    }

    void add(const AcceleratorMesh& mesh, const AttentionMode& mode) {
        AcceleratorCase of = m_of;
        of.mesh = mesh;
        of.kernel = &kernelFor(*of.hardware, *of.program, mode.kernel);
        of.blockQ = of.blockKv = 0;  // the fastest
        of.bothWays = mode.rotation == Rotation::BidirectionalRing;
        if (m_devices == 1 && of.hardware->kind != AcceleratorKind::Tpu)
            of.offloads = !ForeseenMesh{.of = of, .memory = foreseeMemory(of)}.fits();
        m_result.meshes.push_back(foreseeMesh(of, mode, m_foresight));
        // Programs for GPUs shard weights over the devices of the other axes if one device cannot hold them.
        if (!m_result.meshes.back().fits() && !of.program->weightsOverContext && mesh.fsdp == 1 &&
            m_devices > 1) {
            of.mesh.fsdp = m_devices;
            of.mesh.ownFsdp = false;
            m_result.meshes.push_back(foreseeMesh(of, mode, m_foresight));
        }
    }

    const AcceleratorCase& m_of;
    int m_devices;
    const Foresight& m_foresight;
    std::vector<const AttentionMode*> m_modes;
    MeshForesight m_result;
};

/// What keeps the best mesh from scaling, before the first one that loses a fifth.
Sentence scalingLimit(const ForeseenMesh& best, double efficiency, const ForeseenMesh* smaller) {
    constexpr double scales = 0.8;
    constexpr double large = 0.15;
    const AcceleratorMesh& mesh = best.of.mesh;
    const std::int64_t heads = best.of.model->transformer.heads;
    const double step = best.seconds.step.total();
    if (smaller != nullptr && step >= smaller->seconds.step.total())
        return sentence("More devices do not make it faster: {} take no longer", smaller->of.mesh.devices());
    if (efficiency >= scales)
        return {};
    if (best.seconds.step.hops > large * step)
        return sentence("A ring of {}: a hop takes {:.1f} ms and its kernel {:.1f} ms", mesh.ring,
                        1e3 * best.seconds.transferPerHop, 1e3 * best.seconds.kernelPerHop);
    if (best.seconds.step.exchange > large * step)
        return sentence("The exchange of heads takes {:.0f} % of a step",
                        100 * best.seconds.step.exchange / step);
    if (headEfficiency(best.of) < 1 - large)
        return sentence("Heads are uneven: of {} heads over {} devices one has {}", heads,
                        mesh.ulysses * mesh.tensor, mostHeads(best.of));
    if (mesh.ulysses * mesh.tensor == heads || heads % (2L * mesh.ulysses * mesh.tensor) != 0)
        return sentence(
            "Heads run out: {} heads over {} devices; keys rotate or are gathered between {} groups", heads,
            mesh.ulysses * mesh.tensor, mesh.ring * mesh.gathered);
    if (best.seconds.step.padding > large * step)
        return sentence("Blocks are filled up: a device has too few rows for them");
    return sentence("Exchange and starts of blocks do not shrink as computing does");
}

}  // namespace

std::vector<const AttentionMode*> attentionModesOn(const HardwareProfile& hardware) {
    std::vector<const AttentionMode*> modes;
    const bool tpu = hardware.kind == AcceleratorKind::Tpu;
    // In a closed ring, both ways take as long as one way.
    const bool hasLines = std::ranges::count(hardware.links, "line", &LinkClass::topology) > 0;
    for (const AttentionMode& mode : attentionModes()) {
        const bool flash = mode.kernel == AttentionKernel::Flash;
        // A bound for each block of queries has no published kernel time of its own.
        if ((!flash && !(rowOf(mode.kernel).isCustom && tpu)) || mode.boundPerBlock ||
            (mode.rotation == Rotation::BidirectionalRing && !hasLines))
            continue;
        const auto same = std::ranges::find_if(
            modes, [&mode](const AttentionMode* known) { return computeTheSame(*known, mode); });
        if (same == modes.end())
            modes.push_back(&mode);
        else if (mode.minimumDevices < (*same)->minimumDevices ||
                 (tpu && mode.minimumDevices == (*same)->minimumDevices))
            *same = &mode;
    }
    return modes;
}

namespace {

/// Foresees a step with each pair of block sizes that the scratch of a TPU holds; only with that of `of` if
/// it names a pair.
std::vector<ForeseenBlocks> tryBlocks(AcceleratorCase of, const AttentionMode& mode,
                                      const EfficiencyValues& values) {
    std::vector<ForeseenBlocks> tried;
    const auto add = [&](std::int64_t q, std::int64_t kv) {
        of.blockQ = q;
        of.blockKv = kv;
        tried.push_back({{.q = q, .kv = kv}, foreseeSeconds(of, values).step.total()});
    };
    const bool flash = mode.kernel == AttentionKernel::Flash;
    const auto queries = flash ? std::span<const std::int64_t>(flashQueries) : std::span(customQueries);
    const double scratch = of.hardware->scratch;
    for (const std::int64_t q : queries)
        for (const std::int64_t kv : keyBlocks)
            if (scratch == 0 || scratchBytes(*of.kernel, {.q = q, .kv = kv}) <= scratch)
                add(q, kv);
    if (tried.empty())
        add(queries.front(), keyBlocks.front());
    return tried;
}

}  // namespace

ForeseenMesh foreseeMesh(const AcceleratorCase& of, const AttentionMode& mode, const Foresight& foresight) {
    ForeseenMesh mesh{.of = of, .mode = &mode};
    const Efficiencies& efficiencies = foresight.efficiencies;
    if (of.hardware->kind == AcceleratorKind::Tpu) {
        mesh.blocks = tryBlocks(of, mode, efficiencies.valuesFor(of));
        const ForeseenBlocks& best = *std::ranges::min_element(mesh.blocks, {}, &ForeseenBlocks::stepSeconds);
        if (of.blockQ == 0)
            mesh.of.blockQ = best.blocks.q;
        if (of.blockKv == 0)
            mesh.of.blockKv = best.blocks.kv;
    }
    mesh.seconds = efficiencies.foresee(mesh.of);
    mesh.step = efficiencies.foresee(mesh.of, TimeMetric::Step);
    mesh.clip = efficiencies.foresee(mesh.of, TimeMetric::Total);
    mesh.memory = foreseeMemory(mesh.of);
    return mesh;
}

std::vector<ForeseenChunks> foreseeChunks(const ForeseenMesh& mesh, const EfficiencyValues& efficiencies) {
    std::vector<ForeseenChunks> tried;
    AcceleratorCase of = mesh.of;
    for (of.chunks = 1; mesh.of.mesh.ulysses > 1 && headChunkCount(of) == of.chunks; of.chunks *= 2)
        tried.push_back({of.chunks, foreseeSeconds(of, efficiencies).step.total()});
    return tried;
}

double ForeseenMesh::money(double pricePerDeviceHour) const {
    constexpr double hour = 3600;
    return clip.seconds / hour * of.mesh.devices() * pricePerDeviceHour;
}

const ForeseenMesh* MeshForesight::best() const {
    return meshes.empty() || !meshes.front().fits() ? nullptr : &meshes.front();
}

MeshForesight foreseeMeshes(const AcceleratorCase& of, int devices, const Foresight& foresight) {
    return MeshCollector(of, devices, foresight).collect();
}

std::vector<ForeseenScaling> foreseeScaling(const AcceleratorCase& of, const Foresight& foresight) {
    std::vector<ForeseenScaling> points;
    double unit = 0;  // device-seconds of a step with the fewest devices that do it
    std::optional<ForeseenMesh> before;
    for (int devices = 1; devices <= mostScaledDevices; devices *= 2) {
        const MeshForesight meshes = foreseeMeshes(of, devices, foresight);
        ForeseenScaling point{.devices = devices, .best = {}, .limit = {}};
        if (const ForeseenMesh* best = meshes.best()) {
            const double step = best->seconds.step.total();
            if (unit == 0)
                unit = devices * step;
            point.best = *best;
            point.efficiency = unit / (devices * step);
            point.limit = scalingLimit(*best, point.efficiency, before ? &*before : nullptr);
            before = *best;
        } else if (!meshes.meshes.empty()) {
            const auto& least = *std::ranges::min_element(
                meshes.meshes, {}, [](const ForeseenMesh& mesh) { return mesh.memory.total(); });
            point.limit = sentence("Memory: {:.0f} GiB a device at least, of {:.0f}",
                                   least.memory.total() / gibibyte, of.hardware->memory / gibibyte);
        } else {
            point.limit = sentence("No legal mesh has so many devices");
        }
        points.push_back(std::move(point));
    }
    return points;
}

bool areSame(const ForeseenMesh& a, const ForeseenMesh& b) {
    const auto way = [](const AcceleratorCase& of) {
        return std::tie(of.mesh, of.kernel, of.bothWays, of.blockQ, of.blockKv);
    };
    return way(a.of) == way(b.of);
}

Verdict judgeSteps(const ForeseenMesh& reference, const ForeseenMesh& mesh) {
    return judgeRanges({reference.step.low, reference.step.high}, {mesh.step.low, mesh.step.high});
}

std::vector<Sentence> adviceFor(const ForeseenMesh& mesh) {
    constexpr double worthSaying = 0.03;
    const double step = mesh.seconds.step.total();
    std::vector<const CauseRow*> causes;
    for (const CauseRow& cause : causeRows())
        if (mesh.seconds.step.*cause.seconds > worthSaying * step)
            causes.push_back(&cause);
    std::ranges::stable_sort(causes, std::greater<>(),
                             [&](const CauseRow* cause) { return mesh.seconds.step.*cause->seconds; });
    std::vector<Sentence> advice;
    for (const CauseRow* cause : causes) {
        const double seconds = mesh.seconds.step.*cause->seconds;
        advice.push_back(sentence("{}: {:.3g} s of a step, {:.0f} %. {}", tableText(cause->title), seconds,
                                  100 * seconds / step, tableText(cause->faster)));
    }
    if (mesh.of.mesh.ring > 1 && mesh.seconds.transferPerHop > mesh.seconds.kernelPerHop)
        advice.push_back(
            sentence("The ring of {} is bound by its hops: one takes {:.1f} ms, and the kernel beside it "
                     "{:.1f} ms. Larger blocks gain little here",
                     mesh.of.mesh.ring, 1e3 * mesh.seconds.transferPerHop, 1e3 * mesh.seconds.kernelPerHop));
    if (const double even = headEfficiency(mesh.of); even < 1)
        advice.push_back(
            sentence("The heads are uneven: {} over {} devices, of which one has {}, so attention reaches "
                     "{:.0f} % of the speed of an even split",
                     mesh.of.model->transformer.heads, mesh.of.mesh.ulysses * mesh.of.mesh.tensor,
                     mostHeads(mesh.of), 100 * even));
    return advice;
}

}  // namespace meshreel
