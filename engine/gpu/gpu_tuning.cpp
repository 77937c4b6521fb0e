// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_tuning.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
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

/// "gpu-tuning.json.trying.HOST.": what the names of notes of this host's processes begin with. A note is a
/// MeasuredKernel with the variant that is measured.
std::string notesOfHost(const std::filesystem::path& file) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return file.filename().string() + ".trying." + host.data() + ".";
}

/// The notes of processes of this host that have ended.
std::vector<std::filesystem::path> notesOfEnded(const std::filesystem::path& file) {
    std::vector<std::filesystem::path> notes;
    const std::string beginning = notesOfHost(file);
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), none)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(beginning))
            continue;
        const int process = std::atoi(name.c_str() + beginning.size());
        if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH)
            notes.push_back(entry.path());
    }
    return notes;
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
    refuseWhatEnded();
}

void GpuTuning::refuseWhatEnded() {
    if (m_file.empty())
        return;
    for (const std::filesystem::path& file : notesOfEnded(m_file)) {
        try {
            const auto note = takeFields<MeasuredKernel>(RecordJson::parse(readFile(file)));
            if (note.gpu != m_gpu)
                continue;
            MeasuredVariant ended = note.variants.at(0);
            ended.why = sentence("a process ended while it measured it; meshreel tune asks again");
            const MeasuredKernel* known = find(note.kernel, note.revision);
            std::vector<MeasuredVariant> variants =
                known == nullptr ? std::vector<MeasuredVariant>() : known->variants;
            std::erase_if(variants, [&](const MeasuredVariant& each) { return each.isSameAs(ended); });
            ended.rate = 0;
            variants.push_back(std::move(ended));
            keep(note.kernel, note.revision, std::move(variants));
        } catch (const std::exception&) {
            // It ended before the note was whole, and so before it measured.
        }
        std::error_code none;
        std::filesystem::remove(file, none);
    }
}

GpuTuning::Trying::Trying(const GpuTuning& tuning, std::string_view kernel, std::string_view revision,
                          const MeasuredVariant& variant) {
    const std::optional<MatrixForm> form = enumNamed<MatrixForm>(variant.form);
    if (tuning.m_file.empty() || !form || !isOfPtx(*form))
        return;
    static std::atomic<int> count = 0;  // devices of a mesh measure at once
    m_note =
        tuning.m_file.parent_path() / fmt::format("{}{}.{}", notesOfHost(tuning.m_file), ::getpid(), count++);
    try {
        std::filesystem::create_directories(m_note.parent_path());
        RecordJson json = RecordJson::object();
        putFields(json, MeasuredKernel{.gpu = tuning.m_gpu,
                                       .kernel = std::string(kernel),
                                       .revision = std::string(revision),
                                       .variants = {variant}});
        writeFileAtomically(m_note, json.dump() + "\n");
    } catch (const std::exception&) {
        m_note.clear();  // see keep()
    }
}

GpuTuning::Trying::~Trying() {
    std::error_code none;
    if (!m_note.empty())
        std::filesystem::remove(m_note, none);
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
