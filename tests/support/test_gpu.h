// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_stream.h"
#include "engine/gpu/gpu_work.h"
#include "engine/tensor/tensor.h"
#include "tests/support/locations.h"

namespace meshreel::testing {

/// The GPU of a program's tests: the software driver's, which computes the same everywhere, unless
/// MESHREEL_TEST_GPU names another. The first test opens it, and all of them share it and what its driver
/// makes of shaders: that takes longer than most of them.
class TestedGpu {
  public:
    /// Opens it at the first call.
    static const TestedGpu& ofThisProgram() {
        if (open() == nullptr) {
            open() = new TestedGpu;
            ::testing::UnitTest::GetInstance()->listeners().Append(new ClosesAtTheEnd);
        }
        return *open();
    }

    std::string whyNone = "no software GPU (package mesa-vulkan-drivers)";  ///< empty where there is one
    std::shared_ptr<VulkanLibrary> library;
    std::string id;
    std::shared_ptr<const Gpu> gpu;
    std::shared_ptr<GpuWork> work;  ///< a device of a mesh on it

  private:
    TestedGpu() {
        // Compiled shaders are kept with the build, not in the home of who tests.
        ::setenv("MESA_SHADER_CACHE_DIR", (programFolder().parent_path() / "shader-cache").c_str(), 1);
        try {
            library = std::make_shared<VulkanLibrary>();
        } catch (const Error& failure) {
            whyNone += std::string(": ") + failure.what();
            return;
        }
        // A real card by its place in Vulkan's list, for who has one.
        const char* chosen = std::getenv("MESHREEL_TEST_GPU");
        int place = 0;
        for (VkPhysicalDevice device : library->devices()) {
            const GpuFacts facts = askGpu(*library, device);
            const bool wanted =
                chosen != nullptr ? std::to_string(place) == chosen : facts.kind == GpuKind::Software;
            if (wanted && facts.missing.empty())
                id = facts.id;
            ++place;
        }
        if (id.empty())
            return;
        gpu = std::make_shared<const Gpu>(library, id);
        work = std::make_shared<GpuWork>(gpu);
        whyNone.clear();
    }

    /// Not by the end of the process: a driver's threads and the validation layer are still there.
    class ClosesAtTheEnd : public ::testing::EmptyTestEventListener {
        void OnTestProgramEnd(const ::testing::UnitTest& /*program*/) override {
            delete open();
            open() = nullptr;
        }
    };

    static TestedGpu*& open() {
        static TestedGpu* opened = nullptr;
        return opened;
    }
};

/// A test on that GPU. Without one, it is skipped and says so.
class GpuTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const TestedGpu& tested = TestedGpu::ofThisProgram();
        if (!tested.whyNone.empty())
            GTEST_SKIP() << tested.whyNone;
        library = tested.library;
        id = tested.id;
        gpu = tested.gpu;
        stream.emplace(*gpu);
    }

    /// A copy in the GPU's own memory, through one in the host's.
    [[nodiscard]] std::unique_ptr<GpuBuffer> upload(const Tensor& tensor) {
        const GpuBuffer staging(*gpu, tensor.bytes(), GpuPlace::Host);
        std::memcpy(staging.mapped().data(), tensor.raw(), tensor.bytes());
        auto buffer = std::make_unique<GpuBuffer>(*gpu, tensor.bytes(), GpuPlace::Device);
        stream->copy(staging, *buffer, tensor.bytes());
        stream->finish();
        return buffer;
    }

    /// What the buffer holds, as a tensor of the shape and type of `like`.
    [[nodiscard]] Tensor download(const GpuBuffer& buffer, const Tensor& like) {
        Tensor tensor = Tensor::empty(like.shape(), like.dtype());
        const GpuBuffer staging(*gpu, tensor.bytes(), GpuPlace::Host);
        stream->copy(buffer, staging, tensor.bytes());
        stream->finish();
        std::memcpy(tensor.raw(), staging.mapped().data(), tensor.bytes());
        return tensor;
    }

    std::shared_ptr<VulkanLibrary> library;
    std::string id;
    std::shared_ptr<const Gpu> gpu;
    std::optional<GpuStream> stream;
};

/// With the device of a mesh on that GPU, as at the beginning of a stage.
class GpuWorkTest : public GpuTest {
  protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!gpu)
            return;
        work = TestedGpu::ofThisProgram().work;
        work->beginStage();
    }

    /// One more device on the GPU: it shares nothing with others.
    [[nodiscard]] std::shared_ptr<GpuWork> openWork(std::size_t blockBytes = GpuPool::usualBlock,
                                                    std::optional<double> portion = {}) const {
        return std::make_shared<GpuWork>(std::make_shared<const Gpu>(library, id), GpuTuning(), blockBytes,
                                         portion);
    }

    std::shared_ptr<GpuWork> work;
};

}  // namespace meshreel::testing
