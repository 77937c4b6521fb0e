// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/stop_token.h"
#include "engine/gpu/gpu.h"
#include "engine/gpu/ptx_launch.h"

namespace meshreel {

class CudaKernel;
class CudaSections;

/// What a stream runs: a compute pipeline, or in its place a kernel of PTX in one of two ways.
struct GpuProgram {
    VkPipeline pipeline = nullptr;
    VkPipelineLayout layout = nullptr;
    PtxModule text = nullptr;
    PtxFunction kernel = nullptr;
    const CudaKernel* ofCuda = nullptr;  ///< launched by libcuda.so.1
    std::uint32_t threads = 0;           ///< of a block of the kernel
    std::uint32_t dynamicBytes = 0;      ///< PtxKernel::dynamicBytes
    /// Bytes of its constants at which addresses lie: libcuda.so.1 has others.
    std::span<const std::uint16_t> addresses = {};

    [[nodiscard]] bool isBuilt() const {
        return pipeline != nullptr || kernel != nullptr || ofCuda != nullptr;
    }
};

/// How many work groups a dispatch has. Along y and z at most 65,535 are legal everywhere.
struct GroupCounts {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;
};

/// Chooses how much work a submission has from how long the previous one took, so that a fast device does not
/// wait for the host, and a slow one does not hold up the desktop.
class PortionControl {
  public:
    /// Floating-point operations at first: 200 ms on a device that makes 10 GFLOP/s.
    static constexpr double first = 2e9;
    /// Wanted duration of a submission. A quarter of the limit, because kinds of work differ in speed.
    static constexpr double wantedSeconds = 0.05;
    static constexpr double mostGrowth = 4.0;

    [[nodiscard]] double portion() const { return m_portion; }
    /// A submission of this work took so long. One that was much smaller than a portion says nothing, unless
    /// it was too slow.
    void learn(double work, double seconds);

  private:
    double m_portion = first;
};

/// Work for one queue of a GPU in the order it is given: each dispatch sees what those before it wrote.
/// Recorded work is submitted before it outgrows a portion, so that no submission holds the desktop up and a
/// driver's watchdog is never near. One thread at a time, with all other streams of the GPU.
class GpuStream {
  public:
    /// `portion` is the work of each submission, in floating-point operations; without it, a PortionControl
    /// decides. The queue for copies takes only copies, and has no clock.
    explicit GpuStream(const Gpu& gpu, std::optional<double> portion = {},
                       GpuQueue queue = GpuQueue::Compute);
    /// Waits for what was submitted.
    ~GpuStream();
    GpuStream(const GpuStream&) = delete;
    GpuStream& operator=(const GpuStream&) = delete;

    [[nodiscard]] const Gpu& gpu() const { return m_gpu; }
    /// Returns the work that a dispatch should not exceed, if it can be cut.
    [[nodiscard]] double portion() const { return m_fixedPortion.value_or(m_control.portion()); }

    /// Sets what dispatch() asks after each submission, from now on.
    void obey(const StopToken& stop) { m_stop = stop; }

    /// Makes each later submission wait until everything that `other` was given before it is done. `other`
    /// must outlive the last one.
    void follow(GpuStream& other) { m_followed = &other; }

    /// `constants` are the push constants, or the argument of a kernel of PTX, at most 128 bytes; `work` is
    /// in floating-point operations, for a kernel on matrix units as many as a scalar one makes in the time.
    /// Throws Error{Cancelled} after a submission when the token of obey() was asked.
    void dispatch(const GpuProgram& program, std::span<const std::byte> constants, const GroupCounts& groups,
                  double work);
    /// Copies `bytes` from `fromOffset` of one buffer to `offset` of another.
    void copy(const GpuBuffer& from, const GpuBuffer& to, std::size_t bytes, std::size_t fromOffset = 0,
              std::size_t toOffset = 0);
    /// Copies from the memory of another GPU, whose work on it is done; both have Gpu::cuda().
    void copyFromPeer(GpuAddress to, const Gpu& other, GpuAddress from, std::size_t bytes);

    /// Submits what is recorded, if anything is. The number of the latest submission: when that is done, so
    /// is all that was recorded until now.
    std::int64_t submit();
    /// Waits for a submission and those before it, while the GPU continues with later ones. Throws
    /// Error{Device} when the device is lost or has not answered for a minute.
    void await(std::int64_t submission);
    /// Submits what is recorded and waits for all of it. Throws Error{Cancelled} when `stop` was asked, and
    /// as await().
    void finish(const StopToken& stop = {});

    /// Waits for what was submitted, whatever became of it, so that what it uses can be freed.
    void settle() noexcept;

    /// Returns how long the GPU worked on what was submitted since the stream began, by its own clock; 0
    /// without one. Complete after finish().
    [[nodiscard]] double gpuSeconds() const { return m_seconds; }
    /// Submissions since the stream began.
    [[nodiscard]] std::int64_t submissions() const { return m_submissions; }
    /// Returns how often the host has waited for the latest submission: the GPU then has nothing to do until
    /// the host has recorded more.
    [[nodiscard]] std::int64_t standstills() const { return m_standstills; }

  private:
    /// One command buffer and its completion signal. While one runs, the other is recorded.
    struct Slot {
        VkCommandBuffer commands = nullptr;
        VkFence fence = nullptr;
        bool running = false;
        double work = 0;
        std::int64_t number = 0;         ///< number of the submission
        std::uint64_t sectionValue = 0;  ///< of m_sections that it waits for; 0: no section is before it
    };
    static constexpr std::uint32_t usualSlots = 2;
    /// Sections of NVIDIA's driver cut a transformer's block into as many submissions.
    static constexpr std::uint32_t slotsWithCuda = 8;

    /// What works on memory, in the recorded commands and after them.
    enum class Worker : std::uint8_t { Shaders, Copies, Host };
    static constexpr std::size_t workerCount = 3;

    void release();
    void begin();
    void order(Worker next);
    void noteWork(Worker worker);
    void record(const GpuProgram& program, std::span<const std::byte> constants, const GroupCounts& groups);
    void launch(const GpuProgram& program, std::span<const std::byte> constants, const GroupCounts& groups);
    CudaSections& enterSection();
    void submitRecorded();
    void awaitSlot(std::uint32_t index);
    void limitWorkUnderWay();

    const Gpu& m_gpu;
    GpuQueue m_queue;
    GpuStream* m_followed = nullptr;
    std::optional<double> m_fixedPortion;
    PortionControl m_control;
    StopToken m_stop;
    VkCommandPool m_pool = nullptr;
    VkQueryPool m_clock = nullptr;
    std::vector<Slot> m_slots;
    std::uint32_t m_current = 0;
    bool m_recording = false;
    std::unique_ptr<CudaSections> m_sections;  // made by the first work for NVIDIA's driver
    bool m_inSection = false;                  // that work came last
    /// For each worker, the workers whose work it does not wait for yet and may not see: bits of Worker.
    /// Barriers reach back over submissions.
    std::array<std::uint32_t, workerCount> m_unordered = {};
    std::int64_t m_followedWork = 0;  ///< m_given of the followed stream at the last look
    std::int64_t m_given = 0;         ///< dispatches and copies
    double m_work = 0;
    double m_seconds = 0;
    std::uint64_t m_lastTick = 0;  ///< when the latest awaited submission had ended
    std::int64_t m_submissions = 0;
    std::int64_t m_standstills = 0;
};

}  // namespace meshreel
