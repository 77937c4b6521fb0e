// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/base/file_lock.h"
#include "engine/base/record.h"
#include "engine/base/sentence.h"
#include "engine/gpu/gpu_facts.h"
#include "engine/gpu/gpu_list.h"
#include "engine/gpu/matrix_forms.h"

namespace meshreel {

/// One of the shaders or kernels of PTX that compute the same, as it was measured on a GPU.
struct MeasuredVariant {
    std::string form = {};   ///< name of a MatrixForm
    std::string block = {};  ///< how it cuts its work, "16x16x16.128x128x32.2x2.1"; empty: in one way only
    double rate = 0;         ///< floating-point operations a second; 0: it was refused
    Sentence why = {};       ///< why it was refused; empty when it was not
    std::string text = {};   ///< of a kernel of PTX: another one with another text
    /// Processes in a row that ended while they measured it, be it by it or from outside.
    int endings = 0;

    static constexpr auto fields() {
        return std::tuple(field("form", &MeasuredVariant::form), field("block", &MeasuredVariant::block),
                          field("rate", &MeasuredVariant::rate), field("why", &MeasuredVariant::why),
                          laterField("text", &MeasuredVariant::text),
                          laterField("endings", &MeasuredVariant::endings));
    }

    /// Returns whether a process ended while it measured it, and nobody has asked about it since.
    [[nodiscard]] bool isDoubted() const { return endings > 0 && why.empty(); }

    /// Returns whether the other one is of the same shader or kernel.
    [[nodiscard]] bool isSameAs(const MeasuredVariant& other) const {
        return form == other.form && block == other.block && text == other.text;
    }
};

/// All variants of a kernel on a GPU.
struct MeasuredKernel {
    std::string gpu = {};       ///< GpuFacts::id, of device and driver
    std::string kernel = {};    ///< "linear"
    std::string revision = {};  ///< of the shaders: after a change, kernels are measured again
    std::vector<MeasuredVariant> variants = {};

    static constexpr auto fields() {
        return std::tuple(field("gpu", &MeasuredKernel::gpu), field("kernel", &MeasuredKernel::kernel),
                          field("revision", &MeasuredKernel::revision),
                          field("variants", &MeasuredKernel::variants));
    }

    /// Returns the one with the highest rate; null when all were refused.
    [[nodiscard]] const MeasuredVariant* fastest() const;
};

/// The variant that computes a kernel on a GPU: decided once, then read.
struct BoundVariant {
    MatrixForm form = MatrixForm::Scalar;
    std::size_t row = 0;  ///< in the kernel's table; Scalar is in none
    /// The scalar shader's rate as a part of this one's: what makes its work comparable.
    double workScale = 1.0;
};

/// How a GPU computes a kernel.
struct BoundKernel {
    BoundVariant fastest = {};
    /// Computes what the fastest one does not read: the fastest among shaders, where that is a kernel of PTX,
    /// else the same.
    BoundVariant standIn = {};
};

/// Restricts the variants that a process uses; for measurements.
struct VariantFilter {
    std::string form = {};   ///< empty: any
    std::string block = {};  ///< empty: any

    [[nodiscard]] bool isEmpty() const { return form.empty() && block.empty(); }
    [[nodiscard]] bool admits(std::string_view ofForm, std::string_view ofBlock) const;
};

/// What was measured on one GPU: which of the shaders that compute the same is the fastest. A file keeps it
/// for the next process.
class GpuTuning {
  public:
    /// Knows nothing, and keeps nothing on disk.
    GpuTuning() = default;
    /// `gpu` is GpuFacts::id. A damaged file counts as an empty one. A kernel of PTX that a process was
    /// measuring when it ended is doubted, and refused when that has happened twice in a row: something else
    /// may have ended the process. Notes on kernels of another revision are dropped.
    GpuTuning(std::filesystem::path file, std::string gpu);

    /// Only these variants, measured in this process: nothing is read from the file or written to it, and
    /// nothing is bound.
    void restrict(VariantFilter filter);
    [[nodiscard]] const VariantFilter& filter() const { return m_filter; }

    /// Null when it was not measured, or with other shaders. Valid until keep().
    [[nodiscard]] const MeasuredKernel* find(std::string_view kernel, std::string_view revision) const;
    [[nodiscard]] const std::vector<MeasuredKernel>& kernels() const { return m_kernels; }
    /// Remembers, in the file too, besides the kernels of PTX that are known and not among `variants`: they
    /// were not measured this time. A file that cannot be written is left: the next process measures again.
    const MeasuredKernel& keep(std::string_view kernel, std::string_view revision,
                               std::vector<MeasuredVariant> variants);

    /// Keeps it as refused, besides all that is known of the kernel.
    void refuse(std::string_view kernel, std::string_view revision, MeasuredVariant variant, Sentence why);

    /// Notes in a file, as long as it lives, that this process measures a kernel of PTX: sizes that its first
    /// use did not try may crash it, or the device. The file is locked meanwhile: a note that is not is what
    /// a process left when it ended (GpuTuning()), in whichever container or on whichever host.
    class Trying {
      public:
        Trying(const GpuTuning& tuning, std::string_view kernel, std::string_view revision,
               const MeasuredVariant& variant);
        ~Trying();
        Trying(const Trying&) = delete;
        Trying& operator=(const Trying&) = delete;

      private:
        std::filesystem::path m_note;  // empty: nothing is remembered
        std::optional<FileLock> m_lock;
    };

    /// Returns how a kernel is computed here, by its number in the layer above: null until bind().
    [[nodiscard]] const BoundKernel* bound(std::size_t kernel) const {
        return kernel < m_bound.size() && m_bound[kernel] ? &*m_bound[kernel] : nullptr;
    }
    BoundKernel bind(std::size_t kernel, const BoundKernel& by);

  private:
    void doubtWhatEnded();
    void doubt(const MeasuredKernel& note);
    void replace(std::string_view kernel, std::string_view revision, MeasuredVariant by);

    std::filesystem::path m_file;
    std::string m_gpu;
    VariantFilter m_filter;
    std::vector<MeasuredKernel> m_kernels;            // measured on this GPU
    std::vector<std::optional<BoundKernel>> m_bound;  // indexed by kernel
};

/// Returns the file in the user's cache.
std::filesystem::path usualTuningFile();

}  // namespace meshreel
