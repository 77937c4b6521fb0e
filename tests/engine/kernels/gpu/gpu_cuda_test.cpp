// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of PTX that libcuda.so.1 launches between submissions of Vulkan, and GPUs that exchange numbers:
// the software driver with a layer that makes it a card of NVIDIA's, which shares its memory and semaphores
// (tests/support/stand_ins/shared_memory_layer.cpp), and the libcuda.so.1 of cuda_stand_in.cpp.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/worker_pool.h"
#include "engine/gpu/chosen_gpu.h"
#include "engine/gpu/cuda_library.h"
#include "engine/gpu/cuda_side.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/gpu_exchange.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/gpu_memory.h"
#include "engine/gpu/gpu_pipelines.h"
#include "engine/gpu/gpu_tuning.h"
#include "engine/gpu/gpu_work.h"
#include "engine/gpu/matrix_forms.h"
#include "engine/gpu/peer_check.h"
#include "engine/gpu/shared_host.h"
#include "engine/gpu/unopened_gpus.h"
#include "engine/kernels/execution.h"
#include "engine/kernels/first_use.h"
#include "engine/kernels/gpu/gpu_attention.h"
#include "engine/kernels/gpu/gpu_int8_linear.h"
#include "engine/kernels/gpu/gpu_kernels.h"
#include "engine/kernels/gpu/gpu_linear.h"
#include "engine/kernels/gpu/gpu_linear_program.h"
#include "engine/kernels/gpu/gpu_operations.h"
#include "engine/kernels/gpu/gpu_rows.h"
#include "engine/kernels/gpu/kernel_trial.h"
#include "engine/kernels/gpu/matrix_variants.h"
#include "engine/kernels/linear/packed_matrix.h"
#include "engine/kernels/open_devices.h"
#include "tests/support/locations.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_gpu.h"

namespace meshreel {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double bf16Rounding = 1.0 / 128.0;  // relative to values of about unit size

/// The largest difference, relative to 1 or the value if that is larger.
double mostApart(const Tensor& found, const Tensor& expected) {
    const Tensor one = found.toF32();
    const Tensor other = expected.toF32();
    double largest = 0.0;
    for (std::size_t i = 0; i < one.data<float>().size(); ++i) {
        const auto value = static_cast<double>(other.data<float>()[i]);
        const double apart =
            std::abs(static_cast<double>(one.data<float>()[i]) - value) / std::max(1.0, std::abs(value));
        if (apart > largest || std::isnan(apart))
            largest = apart;
    }
    return largest;
}

GpuMatrix matrixIn(const GpuBuffer& buffer, const Tensor& tensor) {
    const std::int64_t width = tensor.extent(tensor.shape().rank() - 1);
    return {.address = buffer.address(),
            .type = tensor.dtype(),
            .layout = {.rows = tensor.elements() / width, .width = width, .stride = width}};
}

/// Sets a variable of the environment as long as it lives.
class Environment {
  public:
    Environment(const char* name, const char* value) : m_name(name) { ::setenv(name, value, 1); }
    ~Environment() { ::unsetenv(m_name); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

  private:
    const char* m_name;
};

class GpuCuda : public testing::GpuWorkTest {
  protected:
    /// Before any of this program's tests opens Vulkan. A library that is loaded is found by its name.
    static void SetUpTestSuite() {
        const std::filesystem::path standIns = testing::programFolder().parent_path() / "tests" / "stand_ins";
        ::setenv("VK_LAYER_PATH", (standIns / "vulkan").c_str(), 1);
        ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MESHREEL_shared_memory", 1);
        ::setenv("MESHREEL_LAUNCHES", logFile().c_str(), 1);
        ::setenv("MESHREEL_CUDA_CARDS", "2", 1);
        ASSERT_NE(::dlopen((standIns / "cuda" / "libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL), nullptr)
            << ::dlerror();
    }

    void SetUp() override {
        testing::GpuWorkTest::SetUp();
        if (gpu)
            stream.emplace(*gpu, std::numeric_limits<double>::infinity());  // nothing is cut
        forget();
    }

    static std::filesystem::path logFile() {
        static const ScratchFolder scratch;
        return scratch.path() / "launches.txt";
    }
    static void forget() { std::filesystem::remove(logFile()); }

    /// What the library was given since forget(): a kernel, "wait", "signal", "copy" or "peer" each.
    static std::vector<std::string> given() {
        std::vector<std::string> words;
        std::istringstream lines(std::filesystem::exists(logFile()) ? readFile(logFile()) : "");
        for (std::string line; std::getline(lines, line);)
            words.push_back(line.substr(0, line.find(' ')));
        return words;
    }

    [[nodiscard]] std::vector<BoundVariant> ptxAmong(std::span<const MatrixVariant> variants) const {
        std::vector<BoundVariant> found;
        for (const GpuCandidate& each : candidatesOn(gpu->matrices(), {}, variants))
            if (isOfPtx(each.form))
                found.push_back(each.bound());
        return found;
    }

    [[nodiscard]] PreparedLinear ptxLayer(const GpuBuffer& weight, const Tensor& values,
                                          GpuAddress bias = 0) const {
        return prepareLinear(work->pipelines(), {.weight = matrixIn(weight, values), .bias = bias},
                             boundTo(ptxAmong(linearVariants()).front()));
    }

    WorkerPool pool{{.workers = 1}};
    Execution execution{pool, {}};
};

TEST_F(GpuCuda, ACardWhoseDriverOfVulkanLaunchesNoPtxIsLaunchedOnByItsLibrary) {
    EXPECT_EQ(gpu->matrices().ptx, PtxWay::Cuda);
    ASSERT_NE(gpu->cuda(), nullptr);
    EXPECT_EQ(gpu->ptxCalls().launch, nullptr);
    EXPECT_EQ(ptxAmong(linearVariants()).size(), 1U);
    const GpuFacts facts = askGpu(*library, library->devices().front());
    EXPECT_EQ(facts.launches, "libcuda.so.1");
    for (const char* name : {"ptx_bf16", "ptx_int8"})
        EXPECT_TRUE(std::ranges::find(facts.forms, name, &MatrixFormFacts::name)->offered) << name;
    EXPECT_EQ(facts.peers.size(), 2U);
    EXPECT_THAT(facts.id, StartsWith(facts.peers.front() + "-"));
}

/// The library has the same bytes under other addresses.
TEST_F(GpuCuda, MemoryHasAddressesOfItsOwnInTheLibrary) {
    const GpuBuffer buffer(*gpu, 10'000, GpuPlace::Device);
    const GpuAddress there = gpu->cuda()->find(buffer.address() + 100);
    EXPECT_NE(there, buffer.address() + 100);
    EXPECT_EQ(there, gpu->cuda()->find(buffer.address()) + 100);
    EXPECT_EQ(gpu->cuda()->find(0), 0U);
    const GpuBuffer ofHost(*gpu, 100, GpuPlace::Host);
    EXPECT_THROW(static_cast<void>(gpu->cuda()->find(ofHost.address())), Error);
}

TEST_F(GpuCuda, ADeviceThatDoesNotOpenWithSharingOpensWithoutItAndSaysWhy) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:sharing");
    const Gpu opened(library, gpu->id());
    EXPECT_NE(opened.device(), nullptr);
    EXPECT_EQ(opened.cuda(), nullptr);
    EXPECT_EQ(opened.matrices().ptx, PtxWay::None);
    // Lists of devices say so, too, although nothing but opening shows it.
    const GpuFacts facts = askGpu(*library, library->devices().front());
    EXPECT_EQ(facts.launches, "");
    for (const char* name : {"ptx_bf16", "ptx_int8"}) {
        const auto form = std::ranges::find(facts.forms, name, &MatrixFormFacts::name);
        EXPECT_FALSE(form->offered);
        EXPECT_THAT(form->why.text(),
                    AllOf(HasSubstr("does not open with libcuda.so.1"), HasSubstr("vkCreateDevice")));
    }
}

TEST_F(GpuCuda, ALinearLayerIsTheCpus) {
    for (const DType output : {DType::F32, DType::BF16}) {
        const Tensor x = testing::randomTensor({140, 112}, 1).to(DType::BF16);
        const Tensor weight = testing::randomTensor({132, 96}, 2).to(DType::BF16);
        const Tensor bias = testing::randomTensor({132}, 3);
        const Tensor gate = testing::randomTensor({132}, 4);
        Tensor y = testing::randomTensor({140, 140}, 5).to(output).clone();
        const auto gpuX = upload(x);
        const auto gpuWeight = upload(weight);
        const auto gpuBias = upload(bias);
        const auto gpuGate = upload(gate);
        const auto gpuY = upload(y);
        const PreparedLinear layer = ptxLayer(*gpuWeight, weight, gpuBias->address());
        forget();  // the check at first use
        applyLinear(
            *stream, layer, matrixIn(*gpuX, x).columns(8, 96).slice(4, 133),
            matrixIn(*gpuY, y).columns(8, 132).slice(4, 133),
            {.activation = LinearActivation::GeluTanh, .gate = gpuGate->address(), .addToOutput = true});
        PackedMatrix::pack(weight.toF32(), &bias)
            .apply(
                execution, MatrixView(x).columns(8, 96).slice(4, 133),
                MatrixSpan(y).columns(8, 132).slice(4, 133),
                {.activation = LinearActivation::GeluTanh, .gate = gate.data<float>(), .addToOutput = true});
        EXPECT_LE(mostApart(download(*gpuY, y), y), output == DType::BF16 ? bf16Rounding : 1e-4)
            << nameOf(output);
        EXPECT_THAT(given(), ElementsAre("wait", "linear_bf16", "signal")) << nameOf(output);
    }
}

TEST_F(GpuCuda, AnInt8LayerPassesItsCheck) {
    const std::vector<BoundVariant> variants = ptxAmong(int8LinearVariants());
    ASSERT_EQ(variants.size(), 1U);
    EXPECT_NO_THROW(static_cast<void>(int8LinearProgram(work->pipelines(), variants.front())));
    EXPECT_THAT(given(), ::testing::Contains("linear_int8"));
}

/// Kernels for capability 9.0, which take shared memory by the launch's wish: each passes its check.
TEST_F(GpuCuda, ACardOfCapability90HasItsOwnKernels) {
    const Environment capability("MESHREEL_LAUNCH_CAPABILITY", "90");
    const Gpu hopper(library, gpu->id());
    GpuPipelines pipelines(hopper);
    const auto own = [&](std::span<const MatrixVariant> variants) {
        for (const GpuCandidate& each : candidatesOn(hopper.matrices(), {}, variants))
            if (isOfPtx(each.form) && each.variant->extents.m == 64)
                return each.bound();
        throw Error(ErrorKind::Internal, "there is none");
    };
    EXPECT_NO_THROW(static_cast<void>(linearProgram(pipelines, own(linearVariants()))));
    const GpuKernel kernel = attentionKernel(128);
    EXPECT_NO_THROW(attentionTrial(pipelines, kernel).build(own(attentionTrial(pipelines, kernel).variants)));
    EXPECT_THAT(given(), AllOf(::testing::Contains("hopper_linear_bf16"),
                               ::testing::Contains(StartsWith("hopper_attention"))));
}

TEST_F(GpuCuda, AttentionIsTheScalarShaders) {
    constexpr std::int64_t heads = 2;
    constexpr std::int64_t headDim = 64;
    constexpr std::int64_t queries = 70;
    constexpr std::int64_t keys = 90;
    const GpuKernel kernel = attentionKernel(headDim);
    const auto rows = [&](std::int64_t count, std::uint32_t seed) {
        return testing::randomTensor({count, heads * headDim}, seed).to(DType::BF16);
    };
    const Tensor q = rows(queries, 1);
    const Tensor k = rows(keys, 2);
    const Tensor v = rows(keys, 3);
    const auto gpuQ = upload(q);
    const auto gpuK = upload(k);
    const auto gpuV = upload(v);
    const auto attended = [&](const BoundVariant& by) {
        const Tensor y = Tensor::zeros({queries, heads * headDim});
        const auto gpuY = upload(y);
        attend(*stream, prepareAttention(work->pipelines(), boundTo(by), kernel),
               {.heads = heads,
                .headDim = headDim,
                .q = matrixIn(*gpuQ, q),
                .k = matrixIn(*gpuK, k),
                .v = matrixIn(*gpuV, v),
                .scale = 1.0 / std::sqrt(static_cast<double>(headDim)),
                .lastKeyCount = 3},
               matrixIn(*gpuY, y));
        return download(*gpuY, y);
    };
    const Tensor scalar = attended({});
    const BoundVariant ptx = ptxAmong(attentionTrial(work->pipelines(), kernel).variants).front();
    EXPECT_LE(mostApart(attended(ptx), scalar), bf16Rounding);
    EXPECT_THAT(given(), ::testing::Contains("attention_64_64"));
}

/// What comes before and behind a section in the same commands, and in later ones.
TEST_F(GpuCuda, SectionsHaveTheirPlaceAmongDispatches) {
    constexpr double epsilon = 1e-6;
    const Tensor x = testing::randomTensor({300, 64}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({64, 64}, 2).to(DType::BF16);
    const Tensor gamma = testing::randomTensor({64}, 3);
    const auto gpuWeight = upload(weight);
    const auto gpuGamma = upload(gamma);
    const PreparedLinear layer = ptxLayer(*gpuWeight, weight);
    const auto computed = [&](GpuStream& on, int rounds) {
        const auto gpuX = upload(x);
        const Tensor y = Tensor::zeros({300, 64});
        const auto gpuY = upload(y);
        for (int round = 0; round < rounds; ++round) {
            applyLinear(on, layer, matrixIn(*gpuX, x), matrixIn(*gpuY, y), {.addToOutput = round > 0});
            layerNorm(on, rowsOf(work->pipelines()), matrixIn(*gpuY, y), epsilon,
                      {gpuGamma->address(), gpuGamma->address()}, matrixIn(*gpuX, x));
        }
        on.finish();
        return download(*gpuY, y);
    };
    // More rounds than there are command buffers.
    const Tensor whole = computed(*stream, 11);
    GpuStream small(*gpu, 600'000.0);
    const Tensor cut = computed(small, 11);
    EXPECT_EQ(std::memcmp(whole.raw(), cut.raw(), whole.bytes()), 0);
    EXPECT_GT(stream->gpuSeconds(), 0.0);
}

TEST_F(GpuCuda, ConsecutiveLaunchesAreOneSection) {
    const Tensor x = testing::randomTensor({10, 64}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({64, 64}, 2).to(DType::BF16);
    const auto gpuX = upload(x);
    const auto gpuWeight = upload(weight);
    const auto gpuY = upload(Tensor::zeros({10, 64}));
    const PreparedLinear layer = ptxLayer(*gpuWeight, weight);
    stream.emplace(*gpu, std::numeric_limits<double>::infinity());
    forget();
    for (int launch = 0; launch < 3; ++launch)
        applyLinear(*stream, layer, matrixIn(*gpuX, x),
                    {.address = gpuY->address(),
                     .type = DType::F32,
                     .layout = {.rows = 10, .width = 64, .stride = 64}},
                    {});
    stream->finish();
    EXPECT_THAT(given(), ElementsAre("wait", "linear_bf16", "linear_bf16", "linear_bf16", "signal"));
    EXPECT_EQ(stream->submissions(), 2);  // the beginning and the end
}

TEST_F(GpuCuda, TextThatTheLibraryRefusesIsRefusedInItsWords) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:linear_bf16");
    GpuPipelines refusing(*gpu);
    try {
        static_cast<void>(linearProgram(refusing, ptxAmong(linearVariants()).front()));
        ADD_FAILURE();
    } catch (const Error& failure) {
        EXPECT_TRUE(isLasting(failure));
        EXPECT_THAT(failure.what(), HasSubstr("this card does not like linear_bf16"));
    }
}

TEST_F(GpuCuda, AKernelThatComputesNothingIsRefused) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "wrong:linear_bf16");
    GpuPipelines refusing(*gpu);
    EXPECT_THROW(static_cast<void>(linearProgram(refusing, ptxAmong(linearVariants()).front())),
                 RefusedShader);
}

/// Two cards of the library's, each a device of Vulkan.
TEST_F(GpuCuda, PeersCopyByTheLibrary) {
    const Gpu one(library, gpu->id(), GpuExchange::Peers);
    const Environment card("MESHREEL_CARD", "1");
    const auto other =
        std::make_shared<const Gpu>(library, gpuId(*library, library->devices().front()), GpuExchange::Peers);
    ASSERT_NE(one.cuda()->context(), other->cuda()->context());
    const Tensor values = testing::randomTensor({1000}, 7);
    GpuStream onOne(one);
    const GpuBuffer source(one, values.bytes(), GpuPlace::Device);
    {
        const GpuBuffer staging(one, values.bytes(), GpuPlace::Host);
        std::memcpy(staging.mapped().data(), values.raw(), values.bytes());
        onOne.copy(staging, source, values.bytes());
        onOne.finish();
    }
    GpuStream onOther(*other);
    const GpuBuffer target(*other, values.bytes(), GpuPlace::Device);
    const GpuBuffer staging(*other, values.bytes(), GpuPlace::Host);
    forget();
    onOther.copyFromPeer(target.address(), one, source.address(), values.bytes());
    onOther.copy(target, staging, values.bytes());
    onOther.finish();
    EXPECT_EQ(std::memcmp(staging.mapped().data(), values.raw(), values.bytes()), 0);
    EXPECT_THAT(given(), ElementsAre("wait", "peer", "signal"));
}

TEST_F(GpuCuda, CopiesBetweenPeersAreComparedBeforeTheyAreTrusted) {
    const auto one =
        std::make_shared<GpuWork>(std::make_shared<const Gpu>(library, gpu->id(), GpuExchange::Peers));
    const Environment card("MESHREEL_CARD", "1");
    const auto other = std::make_shared<GpuWork>(std::make_shared<const Gpu>(
        library, gpuId(*library, library->devices().front()), GpuExchange::Peers));
    const std::vector<std::shared_ptr<GpuWork>> both{one, other};
    EXPECT_TRUE(whyPeersDoNotCopy(both).empty());
    {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:peers");
        EXPECT_TRUE(whyPeersDoNotCopy(both).empty()) << "the driver copies through the host's memory";
    }
    {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "wrong:peers");
        EXPECT_THAT(whyPeersDoNotCopy(both).text(), HasSubstr("brings other numbers"));
    }
    {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "fail:peers");
        EXPECT_THAT(whyPeersDoNotCopy(both).text(), HasSubstr("cuMemcpyPeerAsync"));
    }
    EXPECT_TRUE(whyPeersDoNotCopy(both).empty()) << "a failure leaves the devices usable";
}

TEST_F(GpuCuda, ADeviceThatDoesNotOpenForAnExchangeOpensWithoutIt) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:sharing");
    const Gpu opened(library, gpu->id(), GpuExchange::Peers);
    EXPECT_NE(opened.device(), nullptr);
    EXPECT_EQ(opened.exchange(), GpuExchange::Staged);
    EXPECT_THAT(opened.whyStaged().text(), HasSubstr("vkCreateDevice"));
}

/// Opened as a run opens them: the next way that all have is taken, and they say why.
TEST_F(GpuCuda, GpusThatDoNotOpenForAnExchangeTakeTheNextWay) {
    std::vector<ChosenGpu> both(2);
    for (const std::filesystem::path& manifest : driverManifests())
        if (manifest.filename().string().starts_with("lvp"))
            both[0].manifest = manifest;
    if (both[0].manifest.empty())
        GTEST_SKIP() << "the software driver has no manifest in a usual folder";
    both[0].facts = askGpu(*library, library->devices().front());
    both[1] = both[0];
    const auto exchangeOf = [&](std::string_view faults, bool importsHost) {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", std::string(faults).c_str());
        both[0].facts.importsHost = importsHost;
        const auto opened = openGpus(both, GpuPool::usualBlock, GpuExchange::Peers);
        EXPECT_EQ(opened[0]->whyExchangeFell().empty(), faults.empty());
        EXPECT_EQ(opened[0]->gpu().exchange(), opened[1]->gpu().exchange());
        return opened[0]->gpu().exchange();
    };
    EXPECT_EQ(exchangeOf("", true), GpuExchange::Peers);
    EXPECT_EQ(exchangeOf("refuse:sharing", true), GpuExchange::SharedHost);
    EXPECT_EQ(exchangeOf("refuse:sharing", false), GpuExchange::Staged);
}

/// Two devices of one card, through the memories that a mesh has.
TEST_F(GpuCuda, AMemoryBorrowsFromAnotherDeviceOfTheCard) {
    const auto open = [&] {
        return std::make_shared<GpuWork>(std::make_shared<const Gpu>(library, gpu->id(), GpuExchange::Peers));
    };
    const auto one = open();
    const auto other = open();
    EXPECT_TRUE(one->memory().isReached());
    const Tensor values = testing::randomTensor({1000}, 7);
    const Tensor there = values.in(&one->memory());
    one->finish({});
    forget();
    Tensor borrowed = Tensor::empty({1000}, DType::F32, &other->memory());
    borrowed.borrow(Tensor::viewIn(&one->memory(), there.address(), {1000}, DType::F32));
    other->memory().awaitBorrowed();
    EXPECT_EQ(std::memcmp(borrowed.host().raw(), values.raw(), values.bytes()), 0);
    EXPECT_THAT(given(), ElementsAre("wait", "copy", "signal"));
}

/// Through memory of the host's that both devices have imported.
TEST_F(GpuCuda, AMemoryBorrowsFromTheHostsWithoutABufferBetween) {
    const auto open = [&] {
        return std::make_shared<GpuWork>(
            std::make_shared<const Gpu>(library, gpu->id(), GpuExchange::SharedHost));
    };
    const auto one = open();
    const auto other = open();
    const Tensor values = testing::randomTensor({1000}, 7);
    Tensor passed = Tensor::onHostOf(&one->memory(), {1000}, DType::F32);
    EXPECT_NE(SharedHost::ofThisProcess().find(passed.hostBytes()), nullptr);
    passed.assign(values.in(&one->memory()));
    Tensor borrowed = Tensor::empty({1000}, DType::F32, &other->memory());
    borrowed.borrow(passed);
    other->memory().awaitBorrowed();
    EXPECT_EQ(std::memcmp(borrowed.host().raw(), values.raw(), values.bytes()), 0);
    SharedHostImports imports(other->gpu());
    const auto place = imports.find(passed.hostBytes());
    ASSERT_TRUE(place);
    EXPECT_EQ(place->offset, 0U);
    EXPECT_FALSE(imports.find(values.hostBytes())) << "other memory is not imported";
}

TEST_F(GpuCuda, AGpuThatImportsNoMoreSaysWhyAndIsAskedAgainInTheNextStage) {
    const auto importing =
        std::make_shared<GpuWork>(std::make_shared<const Gpu>(library, gpu->id(), GpuExchange::SharedHost));
    const Tensor values = testing::randomTensor({1000}, 7);
    Tensor passed = Tensor::onHostOf(&importing->memory(), {1000}, DType::F32);
    std::memcpy(passed.raw(), values.raw(), values.bytes());
    Tensor borrowed = Tensor::empty({1000}, DType::F32, &importing->memory());
    const auto borrow = [&] {
        borrowed.borrow(passed);
        importing->memory().awaitBorrowed();
        EXPECT_EQ(std::memcmp(borrowed.host().raw(), values.raw(), values.bytes()), 0);
    };
    {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:host");
        borrow();
        EXPECT_THAT(importing->whyExchangeFell().text(), HasSubstr("vkGetMemoryHostPointerPropertiesEXT"));
        EXPECT_THAT(whyExchangeFell(*importing).text(), HasSubstr("staged"));
    }
    SharedHostImports imports(importing->gpu());
    {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:host");
        EXPECT_FALSE(imports.find(passed.hostBytes()));
    }
    EXPECT_FALSE(imports.find(passed.hostBytes())) << "it is not asked for each copy";
    imports.clear();
    EXPECT_TRUE(imports.find(passed.hostBytes()));
    imports.clear();
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "lose:host");
    EXPECT_THROW(static_cast<void>(imports.find(passed.hostBytes())), VulkanFailure)
        << "a lost device is no matter of memory";
}

TEST_F(GpuCuda, AKernelThatLosesTheDeviceWhileItIsMeasuredIsRefused) {
    KernelTrial trial{};
    trial.kernel = GpuKernel::Linear;
    trial.revision = "1";
    const MeasuredVariant ptx{.form = "ptx_bf16", .block = "a", .rate = 1};
    GpuTuning tuning;
    tuning.keep("linear", "1", {{.form = "scalar", .rate = 1}, ptx});
    const auto refuses = [&](const MeasuredVariant& variant, const Error& failure) {
        return refuseIfItEndsTheDevice(tuning, trial, variant, failure);
    };
    EXPECT_FALSE(refuses(ptx, VulkanFailure(VK_ERROR_OUT_OF_DEVICE_MEMORY, sentence("full"), {})));
    EXPECT_FALSE(refuses(ptx, CudaFailure(2, sentence("full"), {})));
    EXPECT_FALSE(refuses({.form = "scalar"}, VulkanFailure(VK_ERROR_DEVICE_LOST, sentence("lost"), {})));
    EXPECT_TRUE(tuning.find("linear", "1")->variants.back().why.empty());
    EXPECT_TRUE(refuses(ptx, VulkanFailure(VK_ERROR_DEVICE_LOST, sentence("lost"), {})));
    EXPECT_THAT(tuning.find("linear", "1")->variants.back().why.text(), StartsWith("lost"));
    EXPECT_EQ(tuning.find("linear", "1")->variants.size(), 2U);
    EXPECT_TRUE(refuses(ptx, CudaFailure(719, sentence("an illegal address"), {})));
}

/// As of an address that is nobody's: the library says so when it is asked, and signals nothing.
TEST_F(GpuCuda, AFailedLaunchEndsTheWait) {
    const Tensor x = testing::randomTensor({10, 64}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({64, 64}, 2).to(DType::BF16);
    const auto gpuX = upload(x);
    const auto gpuWeight = upload(weight);
    const auto gpuY = upload(Tensor::zeros({10, 64}));
    const PreparedLinear layer = ptxLayer(*gpuWeight, weight);
    GpuStream failing(*gpu);
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "fail:linear_bf16");
    applyLinear(
        failing, layer, matrixIn(*gpuX, x),
        {.address = gpuY->address(), .type = DType::F32, .layout = {.rows = 10, .width = 64, .stride = 64}},
        {});
    try {
        failing.finish();
        ADD_FAILURE() << "it did not fail";
    } catch (const CudaFailure& failure) {
        EXPECT_THAT(failure.what(), HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
    }
}

/// What a check uses ends before its stream does, and nothing signals what Vulkan waits for.
TEST_F(GpuCuda, AKernelThatFailsInItsCheckEndsIt) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "fail:linear_bf16");
    GpuPipelines failing(*gpu);
    EXPECT_THROW(static_cast<void>(linearProgram(failing, ptxAmong(linearVariants()).front())), CudaFailure);
}

/// The layer ends the process where values are left out.
TEST_F(GpuCuda, EverySectionBehindAFailedOneIsSignalledInItsTurn) {
    constexpr double epsilon = 1e-6;
    const Tensor x = testing::randomTensor({10, 64}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({64, 64}, 2).to(DType::BF16);
    const Tensor gamma = testing::randomTensor({64}, 3);
    const Tensor y = Tensor::zeros({10, 64});
    const auto gpuX = upload(x);
    const auto gpuWeight = upload(weight);
    const auto gpuGamma = upload(gamma);
    const auto gpuY = upload(y);
    const PreparedLinear layer = ptxLayer(*gpuWeight, weight);
    const PreparedRows& rows = rowsOf(work->pipelines());
    forget();
    {
        GpuStream failing(*gpu, std::numeric_limits<double>::infinity());
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "fail:linear_bf16");
        for (int section = 0; section < 3; ++section) {
            applyLinear(failing, layer, matrixIn(*gpuX, x), matrixIn(*gpuY, y), {});
            layerNorm(failing, rows, matrixIn(*gpuY, y), epsilon, {gpuGamma->address(), gpuGamma->address()},
                      matrixIn(*gpuX, x));
        }
        failing.submit();
    }
    EXPECT_THAT(given(), ElementsAre("wait", "linear_bf16", "linear_bf16", "linear_bf16"));
    EXPECT_NO_THROW(static_cast<void>(download(*gpuX, x)));
}

TEST_F(GpuCuda, ASubmissionThatFailsTakesNoValueOfTheTimeline) {
    const Tensor x = testing::randomTensor({10, 64}, 1).to(DType::BF16);
    const Tensor weight = testing::randomTensor({64, 64}, 2).to(DType::BF16);
    const Tensor y = Tensor::zeros({10, 64});
    const auto gpuX = upload(x);
    const auto gpuWeight = upload(weight);
    const auto gpuY = upload(y);
    const PreparedLinear layer = ptxLayer(*gpuWeight, weight);
    GpuStream refused(*gpu, std::numeric_limits<double>::infinity());
    applyLinear(refused, layer, matrixIn(*gpuX, x), matrixIn(*gpuY, y), {});
    {
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "refuse:submission");
        EXPECT_THROW(refused.finish(), VulkanFailure);
    }
    applyLinear(refused, layer, matrixIn(*gpuX, x), matrixIn(*gpuY, y), {});
    EXPECT_NO_THROW(refused.finish());
}

/// Once given up, the card's library is neither asked nor waited for.
TEST_F(GpuCuda, ACardThatWasGivenUpIsNotAskedAgain) {
    const Gpu lost(library, gpu->id());
    GpuStream ofLost(lost);
    const GpuBuffer buffer(lost, 100, GpuPlace::Device);
    lost.cuda()->giveUp();
    EXPECT_THROW(static_cast<void>(lost.cuda()->onThisThread()), Error);
    EXPECT_TRUE(lost.cuda()->settle());
}

/// What is given up is neither waited for nor freed, and Vulkan goes on.
TEST_F(GpuCuda, AKernelThatDoesNotEndIsGivenUp) {
    const auto own = std::make_shared<const Gpu>(library, gpu->id());
    own->cuda()->setPatience(std::chrono::milliseconds(300));
    {
        GpuPipelines pipelines(*own);
        const Environment fault("MESHREEL_LAUNCH_FAULTS", "hang:linear_bf16");
        try {
            static_cast<void>(linearProgram(pipelines, ptxAmong(linearVariants()).front()));
            ADD_FAILURE() << "it ended";
        } catch (const Error& failure) {
            EXPECT_THAT(failure.what(), HasSubstr("has not answered for a minute"));
            EXPECT_FALSE(isLasting(failure));
        }
    }
    EXPECT_TRUE(own->cuda()->isGivenUp());
    EXPECT_FALSE(own->cuda()->isStuck());
}

TEST_F(GpuCuda, AFailureThatIsNoneOfTheTextDoesNotLast) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "lose:linear_bf16");
    GpuPipelines failing(*gpu);
    try {
        static_cast<void>(linearProgram(failing, ptxAmong(linearVariants()).front()));
        ADD_FAILURE();
    } catch (const Error& failure) {
        EXPECT_FALSE(isLasting(failure)) << failure.what();
    }
}

TEST_F(GpuCuda, RefusedSharedMemoryLasts) {
    const Environment capability("MESHREEL_LAUNCH_CAPABILITY", "90");
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "narrow:hopper_linear_bf16");
    const Gpu hopper(library, gpu->id());
    GpuPipelines pipelines(hopper);
    bool isTried = false;
    for (const GpuCandidate& each : candidatesOn(hopper.matrices(), {}, linearVariants()))
        if (isOfPtx(each.form) && each.variant->extents.m == 64) {
            isTried = true;
            EXPECT_THROW(static_cast<void>(linearProgram(pipelines, each.bound())), RefusedShader);
        }
    EXPECT_TRUE(isTried);
}

TEST_F(GpuCuda, ALibraryThatDoesNotKnowPeersLeavesTheCardInTheList) {
    const Environment fault("MESHREEL_LAUNCH_FAULTS", "lose:peers");
    const GpuFacts facts = askGpu(*library, library->devices().front());
    EXPECT_TRUE(facts.peers.empty());
    EXPECT_EQ(facts.launches, "libcuda.so.1");
}

/// Plans list the cards often.
TEST_F(GpuCuda, AListForAPlanOpensNoContext) {
    forget();
    EXPECT_EQ(askUnopenedGpu(*library, library->devices().front()).launches, "libcuda.so.1");
    EXPECT_THAT(given(), ::testing::IsEmpty());
    static_cast<void>(askGpu(*library, library->devices().front()));
    EXPECT_THAT(given(), ElementsAre("context"));
}

/// The child process of a first use would not open a card that the run has.
TEST_F(GpuCuda, ACardForOneProcessIsNotLaunchedOn) {
    const Environment mode("MESHREEL_CUDA_MODE", "3");
    const GpuFacts facts = askGpu(*library, library->devices().front());
    EXPECT_EQ(facts.launches, "");
    EXPECT_TRUE(facts.peers.empty());
    EXPECT_THAT(std::ranges::find(facts.forms, "ptx_bf16", &MatrixFormFacts::name)->why.text(),
                HasSubstr("for one process at a time"));
}

void doNothing(int /*signal*/) {}

/// Interrupted system calls are taken up again.
TEST(FirstUseUnderSignals, IsHeard) {
    struct sigaction quiet {};
    struct sigaction before {};
    quiet.sa_handler = doNothing;  // without SA_RESTART
    ASSERT_EQ(::sigaction(SIGALRM, &quiet, &before), 0);
    const itimerval often{.it_interval = {.tv_sec = 0, .tv_usec = 2000},
                          .it_value = {.tv_sec = 0, .tv_usec = 2000}};
    ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
    const FirstUse use = askFirstUse(
        {.program = {"/bin/sh", "-c", R"(sleep 0.1; echo '{"verdict": "usable", "why": "", "sizes": 3}')"}},
        "card", {.kernel = "linear", .form = "ptx_bf16", .block = "a"});
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before, nullptr);
    EXPECT_TRUE(use.isUsable()) << use.why;
    EXPECT_EQ(use.sizes, 3U);
}

}  // namespace
}  // namespace meshreel
