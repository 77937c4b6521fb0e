// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/gpu/gpu_tuning.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
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

/// Held while the file is read and written anew. Nothing where it cannot be had: the last one that writes
/// wins then.
std::optional<FileLock> lockTuning(const std::filesystem::path& file) {
    constexpr std::chrono::seconds lockPatience{5};
    std::error_code none;
    std::filesystem::create_directories(file.parent_path(), none);
    const int descriptor = openUnlessPipe(file.string() + ".lock", O_RDWR | O_CREAT);
    return descriptor < 0 ? std::nullopt : FileLock::take(descriptor, lockPatience);
}

/// What the names of notes begin with. A note is a MeasuredKernel with the variant that is measured.
std::string notePrefix(const std::filesystem::path& file) {
    return file.filename().string() + ".trying.";
}

std::vector<std::filesystem::path> notesBeside(const std::filesystem::path& file) {
    std::vector<std::filesystem::path> notes;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), none))
        if (entry.path().filename().string().starts_with(notePrefix(file)))
            notes.push_back(entry.path());
    return notes;
}

bool isWhole(int descriptor, std::string_view text) {
    return ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
           ::fsync(descriptor) == 0;
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
    doubtWhatEnded();
}

void GpuTuning::doubtWhatEnded() {
    if (m_file.empty())
        return;
    for (const std::filesystem::path& file : notesBeside(m_file)) {
        const int descriptor = openUnlessPipe(file, O_RDWR);
        const std::optional<FileLock> ended = descriptor < 0 ? std::nullopt : FileLock::tryTake(descriptor);
        if (!ended)
            continue;  // its process measures
        try {
            const auto note = takeFields<MeasuredKernel>(RecordJson::parse(readFile(file)));
            if (note.gpu != m_gpu)
                continue;
            const auto known = std::ranges::find(m_kernels, note.kernel, &MeasuredKernel::kernel);
            if (known == m_kernels.end() || known->revision == note.revision)
                doubt(note);
        } catch (const std::exception&) {
            // It ended before the note was whole, and so before it measured; or another process took it.
        }
        std::error_code none;
        std::filesystem::remove(file, none);
    }
}

void GpuTuning::doubt(const MeasuredKernel& note) {
    constexpr int mostEndings = 1;  // a stop, a full memory or a power cut says nothing of the kernel
    MeasuredVariant ended = note.variants.at(0);
    ended.rate = 0;
    ended.endings = 1;
    if (const MeasuredKernel* known = find(note.kernel, note.revision))
        for (const MeasuredVariant& each : known->variants)
            if (each.isSameAs(ended))
                ended.endings += each.endings;
    if (ended.endings > mostEndings)
        ended.why = sentence("a process ended while it measured it; tuning asks again");
    replace(note.kernel, note.revision, std::move(ended));
}

void GpuTuning::refuse(std::string_view kernel, std::string_view revision, MeasuredVariant variant,
                       Sentence why) {
    variant.rate = 0;
    variant.why = std::move(why);
    replace(kernel, revision, std::move(variant));
}

void GpuTuning::replace(std::string_view kernel, std::string_view revision, MeasuredVariant by) {
    const MeasuredKernel* known = find(kernel, revision);
    std::vector<MeasuredVariant> variants =
        known == nullptr ? std::vector<MeasuredVariant>() : known->variants;
    std::erase_if(variants, [&](const MeasuredVariant& each) { return each.isSameAs(by); });
    variants.push_back(std::move(by));
    keep(kernel, revision, std::move(variants));
}

GpuTuning::Trying::Trying(const GpuTuning& tuning, std::string_view kernel, std::string_view revision,
                          const MeasuredVariant& variant) {
    const std::optional<MatrixForm> form = enumNamed<MatrixForm>(variant.form);
    if (tuning.m_file.empty() || !form || !isOfPtx(*form))
        return;
    try {
        const std::filesystem::path folder = tuning.m_file.parent_path();
        std::filesystem::create_directories(folder);
        RecordJson json = RecordJson::object();
        putFields(json, MeasuredKernel{.gpu = tuning.m_gpu,
                                       .kernel = std::string(kernel),
                                       .revision = std::string(revision),
                                       .variants = {variant}});
        // It gets its name when it is locked and whole.
        std::string made = (folder / (tuning.m_file.filename().string() + ".noting.XXXXXX")).string();
        const int descriptor = ::mkostemp(made.data(), O_CLOEXEC);
        if (descriptor < 0)
            return;  // see keep()
        const std::string random = made.substr(made.size() - 6);
        m_note = made;
        m_lock = FileLock::tryTake(descriptor);
        if (!m_lock || !isWhole(descriptor, json.dump() + "\n"))
            return;
        const std::filesystem::path note = folder / (notePrefix(tuning.m_file) + random);
        std::filesystem::rename(m_note, note);
        m_note = note;
    } catch (const std::exception&) {
        // See keep().
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
        const std::optional<FileLock> lock = lockTuning(m_file);
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
