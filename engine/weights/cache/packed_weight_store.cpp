// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/weights/cache/packed_weight_store.h"

#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/weights/cache/packed_weights_writer.h"

namespace meshreel {
namespace fs = std::filesystem;

PackedWeightStore::PackedWeightStore(CacheFolder folder, std::string key, Warn warn)
    : m_folder(std::move(folder)), m_key(std::move(key)), m_warn(std::move(warn)) {
    openExisting();
}

PackedWeightStore::~PackedWeightStore() = default;

void PackedWeightStore::openExisting() {
    const fs::path file = m_folder.fileOf(m_key);
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return;
    try {
        auto opened = PackedWeightsFile::open(file);
        if (opened->key() != m_key)
            throw Error(ErrorKind::Input, sentence("the packed weights are of another model"), file.string());
        m_file = std::move(opened);
        m_folder.markUsed(file);
    } catch (const Error& failure) {
        m_warn(sentence("Packed weights in the cache are not used and made again: {}", failure.asSentence()));
    }
}

void PackedWeightStore::startCollecting() {
    m_collecting = true;
    try {
        m_lock = m_folder.tryLock();
        if (m_lock)
            m_writer = std::make_unique<PackedWeightsWriter>(m_folder.fileOf(m_key), m_key);
    } catch (const Error& failure) {
        giveUp(failure.asSentence());
    }
}

void PackedWeightStore::giveUp(const Sentence& why) {
    m_writer.reset();
    m_lock.reset();
    m_warn(sentence("Packed weights are not kept: {}", why));
}

std::optional<StoredTensor> PackedWeightStore::find(std::string_view name) {
    if (!m_file || m_damaged)
        return std::nullopt;
    try {
        return m_file->find(name);
    } catch (const Error& failure) {
        m_damaged = true;
        m_warn(sentence("Packed weights in the cache are not used and made again by the next run: {}",
                        failure.asSentence()));
        return std::nullopt;
    }
}

void PackedWeightStore::put(const std::string& name, const std::string& format,
                            std::span<const std::byte> bytes) {
    if (!m_file && !m_collecting)
        startCollecting();
    if (!m_writer)
        return;
    try {
        if (m_folder.makeRoom(*m_lock, bytes.size(), m_writer->bytes()))
            m_writer->add(name, format, bytes);
        else
            giveUp(sentence("they are larger than the cache may grow, or than the disk has room for"));
    } catch (const Error& failure) {
        giveUp(failure.asSentence());
    }
}

void PackedWeightStore::finish() {
    std::error_code ignored;
    if (m_damaged)
        fs::remove(m_folder.fileOf(m_key), ignored);
    if (!m_writer)
        return;
    try {
        m_writer->finish();
    } catch (const Error& failure) {
        giveUp(failure.asSentence());
    }
    m_writer.reset();
    m_lock.reset();
}

}  // namespace meshreel
