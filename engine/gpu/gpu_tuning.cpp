// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_tuning.h"

#include <algorithm>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/paths.h"
#include "engine/base/record_json.h"

namespace meshreel {
namespace {

/// The file: measurements of all GPUs.
struct TuningFile {
    std::vector<MeasuredKernel> kernels;

    static constexpr auto fields() { return std::tuple(field("kernels", &TuningFile::kernels)); }
};

TuningFile readTuning(const std::filesystem::path& file) {
    if (file.empty() || !isFile(file))
        return {};
    try {
        return takeFields<TuningFile>(RecordJson::parse(readFile(file)));
    } catch (const std::exception&) {
        return {};  // damaged: what it held is measured once more
    }
}

void writeTuning(const std::filesystem::path& file, const TuningFile& tuning) {
    try {
        std::filesystem::create_directories(file.parent_path());
        RecordJson json = RecordJson::object();
        putFields(json, tuning);
        writeFileAtomically(file, json.dump(1) + "\n");
    } catch (const std::exception&) {
        // See keep().
    }
}

}  // namespace

const MeasuredVariant* MeasuredKernel::fastest() const {
    const auto best = std::ranges::max_element(variants, {}, &MeasuredVariant::rate);
    return best == variants.end() || best->rate <= 0 ? nullptr : &*best;
}

bool VariantFilter::admits(std::string_view ofForm, std::string_view ofBlock) const {
    return (form.empty() || form == ofForm) && (block.empty() || block == ofBlock);
}

GpuTuning::GpuTuning(std::filesystem::path file, std::string gpu)
    : m_file(std::move(file)), m_gpu(std::move(gpu)), m_kernels(readTuning(m_file).kernels) {
    std::erase_if(m_kernels, [&](const MeasuredKernel& each) { return each.gpu != m_gpu; });
}

void GpuTuning::restrict(VariantFilter filter) {
    m_filter = std::move(filter);
    m_file.clear();
    m_kernels.clear();
    m_bound.clear();
}

const MeasuredKernel* GpuTuning::find(std::string_view kernel, std::string_view revision) const {
    const auto found = std::ranges::find_if(m_kernels, [&](const MeasuredKernel& each) {
        return each.kernel == kernel && each.revision == revision;
    });
    return found == m_kernels.end() ? nullptr : &*found;
}

const MeasuredKernel& GpuTuning::keep(std::string_view kernel, std::string_view revision,
                                      std::vector<MeasuredVariant> variants) {
    if (const MeasuredKernel* known = find(kernel, revision))
        for (const MeasuredVariant& each : known->variants)
            if (const std::optional<MatrixForm> form = enumNamed<MatrixForm>(each.form);
                form && isOfPtx(*form) && std::ranges::none_of(variants, [&](const MeasuredVariant& other) {
                    return other.form == each.form && other.block == each.block;
                }))
                variants.push_back(each);
    const MeasuredKernel measured{.gpu = m_gpu,
                                  .kernel = std::string(kernel),
                                  .revision = std::string(revision),
                                  .variants = std::move(variants)};
    std::erase_if(m_kernels, [&](const MeasuredKernel& each) { return each.kernel == kernel; });
    m_kernels.push_back(measured);
    if (!m_file.empty()) {
        TuningFile all = readTuning(m_file);
        std::erase_if(all.kernels,
                      [&](const MeasuredKernel& each) { return each.gpu == m_gpu && each.kernel == kernel; });
        all.kernels.push_back(measured);
        writeTuning(m_file, all);
    }
    return m_kernels.back();
}

BoundKernel GpuTuning::bind(std::size_t kernel, const BoundKernel& by) {
    if (m_bound.size() <= kernel)
        m_bound.resize(kernel + 1);
    m_bound[kernel] = by;
    return by;
}

std::filesystem::path usualTuningFile() {
    return userCacheFolder() / "gpu-tuning.json";
}

}  // namespace meshreel
