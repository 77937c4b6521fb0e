// SPDX-License-Identifier: GPL-3.0-or-later
// What runs hold of a GPU's memory, beside what their plans say.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include "engine/gpu/gpu_list.h"
#include "engine/pipelines/generation.h"
#include "engine/planning/run_plan.h"
#include "tests/support/small_project.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

/// Bytes of the device's memory at most, in a stage.
struct StageBytes {
    double planned = 0;
    double held = 0;

    [[nodiscard]] double ratio() const { return held / planned; }
};

struct MeasuredRun {
    RunPlan plan;
    StageBytes denoising;
    StageBytes decoding;
    Tensor frames;
};

class GpuRunMemory : public testing::GpuTest {
  protected:
    /// The driver of the test's GPU, which has so much memory free.
    [[nodiscard]] std::vector<GpuDriver> driverWith(double free) const {
        for (const std::filesystem::path& manifest : driverManifests()) {
            const std::array only{manifest};
            const VulkanLibrary its(only);
            for (VkPhysicalDevice device : its.devices()) {
                GpuFacts facts = askGpu(its, device);
                facts.memoryFree = free;
                if (facts.id == id)
                    return {{.manifest = manifest, .gpus = {facts}}};
            }
        }
        return {};
    }

    [[nodiscard]] MeasuredRun run(const Project& asked, double free = 1e12) const {
        Project project = asked;
        if (project.gpus == "auto")
            project.gpus = "0";
        MeasuredRun measured{.plan = makePlan(project, {.workers = 1, .drivers = driverWith(free)}),
                             .denoising = {},
                             .decoding = {},
                             .frames = {}};
        const MemoryEstimate& memory = measured.plan.memory;
        measured.denoising.planned = static_cast<double>(memory.device.total() + memory.deviceVae.weights);
        measured.decoding.planned = static_cast<double>(memory.deviceVae.weights + memory.deviceVae.decoding);
        DeviceMesh mesh(meshOptions(measured.plan));
        const EventSink look = [&](const RunEvent& event) {
            const auto* message = std::get_if<RunMessage>(&event);
            if (message == nullptr)
                return;
            double most = 0;
            for (const auto& gpu : mesh.gpus())
                most = std::max(most, static_cast<double>(gpu->memory().peak()));
            if (message->text.text().starts_with("Denoising held"))
                measured.denoising.held = most;
            if (message->text.text().starts_with("Decoding held"))
                measured.decoding.held = most;
        };
        measured.frames = generate({mesh, {}}, measured.plan, {}, look).frames;
        return measured;
    }

    static Project project() {
        Project small = testing::smallProject();
        small.numInferenceSteps = 1;
        return small;
    }

    static void expectAsPlanned(const MeasuredRun& run) {
        EXPECT_GT(run.denoising.ratio(), 0.9) << run.denoising.held << " of " << run.denoising.planned;
        EXPECT_LE(run.denoising.ratio(), 1.0) << run.denoising.held << " of " << run.denoising.planned;
        EXPECT_GT(run.decoding.ratio(), 0.9) << run.decoding.held << " of " << run.decoding.planned;
        EXPECT_LE(run.decoding.ratio(), 1.0) << run.decoding.held << " of " << run.decoding.planned;
    }
};

TEST_F(GpuRunMemory, OfEachOfTwoDevicesIsWhatThePlanSays) {
    const MeasuredRun one = this->run(project());
    expectAsPlanned(one);
    Project two = project();
    two.gpus = "0,0";
    two.attention = "ulysses";
    const MeasuredRun run = this->run(two);
    EXPECT_EQ(run.plan.layout.shape().context, 2);
    expectAsPlanned(run);
    int largest = 0;
    for (std::size_t i = 0; i < one.frames.data<std::uint8_t>().size(); ++i)
        largest = std::max(largest, std::abs(int{run.frames.data<std::uint8_t>()[i]} -
                                             int{one.frames.data<std::uint8_t>()[i]}));
    EXPECT_LE(largest, 1);
}

TEST_F(GpuRunMemory, StaysWithinWhatIsFree) {
    Project narrow = project();
    narrow.weightsDtype = "bfloat16";
    narrow.activationsDtype = "bfloat16";
    narrow.vaeDtype = "bfloat16";
    narrow.vaeWeightsDtype = "bfloat16";
    const auto driver = driverWith(1e12);
    Project planned = narrow;
    planned.gpus = "0";
    const MemoryEstimate whole = makePlan(planned, {.drivers = driver}).memory;
    const double free = static_cast<double>(whole.device.total() + whole.deviceVae.weights) -
                        static_cast<double>(whole.device.weights) / 2;
    const MeasuredRun less = run(narrow, free);
    EXPECT_TRUE(less.plan.residentLayers);
    EXPECT_LE(less.denoising.held, free);
    EXPECT_LE(less.decoding.held, free);
    expectAsPlanned(less);
}

}  // namespace
}  // namespace meshreel
