// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/catalogue/published_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json_file.h"
#include "engine/base/paths.h"
#include "engine/catalogue/model_facts.h"
#include "engine/catalogue/model_library.h"
#include "engine/catalogue/partial_file.h"
#include "engine/models/families/inferred_config.h"
#include "engine/models/wan/wan_config.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/checkpoint.h"
#include "engine/weights/formats/tensor_file.h"
#include "engine/weights/tensor_names.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

using nlohmann::json;

/// Size and time of a file's last change, in nanoseconds.
struct Stamp {
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// Returns zero when it is not a file.
Stamp stampOf(const fs::path& file) {
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return {};
    return {.bytes = static_cast<std::uint64_t>(status.st_size),
            .modified = status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec};
}

// Returns its record.

json readRecord(const fs::path& file, const ModelOffer& offer, const OfferedFile& offered) {
    try {
        json record = readJsonObject(recordPath(file));
        if (record.value("repository", "") == offer.repository && record.value("path", "") == offered.path)
            return record;
    } catch (const std::exception&) {
        // it was put there by hand, or the record is damaged
    }
    return json::object();
}

/// Returns an empty string when the key is absent or not a text.
std::string textIn(const json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns whether the record is for exactly these bytes.
bool isOf(const json& record, const Stamp& stamp) {
    const auto bytes = record.find("bytes");
    const auto modified = record.find("modified");
    return bytes != record.end() && modified != record.end() && bytes->is_number_unsigned() &&
           modified->is_number_integer() && bytes->get<std::uint64_t>() == stamp.bytes &&
           modified->get<std::int64_t>() == stamp.modified;
}

// Suffixes of other programs' incomplete files.

/// What programs that download put beside a file until it is whole.
constexpr auto writersSuffixes = std::to_array<std::string_view>(
    {".aria2", ".part", ".partial", ".incomplete", ".crdownload", ".download", ".filepart", ".tmp", ".!qB"});

}  // namespace

fs::path writersFile(const fs::path& file) {
    for (const std::string_view suffix : writersSuffixes)
        if (fs::path beside = file.string() + std::string(suffix); isThere(beside))
            return beside;
    return {};
}

namespace {

/// Looks twice at a file that was written to just now.
bool changesNow(const fs::path& found, const Stamp& before, const StopToken& stop) {
    using namespace std::chrono;
    constexpr std::int64_t recent = 3'000'000'000;
    constexpr milliseconds pause{600};
    const auto now = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
    if (now - before.modified > recent)
        return false;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, stop, pause, [] { return false; });
    throwIfStopped(stop);
    return stampOf(found) != before;
}

Sentence writtenBy(const fs::path& found) {
    const fs::path beside = writersFile(found);
    return beside.empty()
               ? sentence("another program is writing it")
               : sentence("another program is writing it, as {} beside it tells", beside.filename().string());
}

// What its bytes are.

std::string firstBytes(const fs::path& file) {
    constexpr std::size_t enough = 512;
    std::string bytes(enough, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
    return bytes;
}

/// Describes what often comes in place of a file, or lies where it should; empty for anything else.
Sentence describeStranger(const fs::path& file) {
    std::string bytes = firstBytes(file);
    if (bytes.empty())
        return sentence("it is empty");
    if (bytes.starts_with("version https://git-lfs"))
        return sentence("it is a pointer of Git LFS, not the file itself");
    const std::size_t text = bytes.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    if (text == std::string::npos)
        return {};
    std::ranges::transform(bytes, bytes.begin(), [](unsigned char letter) {
        return static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
    });
    for (const std::string_view page : {"<!doctype", "<html", "<head", "<?xml", "<error"})
        if (bytes.compare(text, page.size(), page) == 0)
            return sentence("it is a web page, not the file");
    return {};
}

bool isTokenizer(const fs::path& name) {
    return name.filename() == "spiece.model";
}

/// What is wrong with the format's own header; empty for a whole file, and for a format that is not known.
/// `name`: whose extension says which it should be.
Sentence describeDamage(const fs::path& file, const fs::path& name) {
    if (Sentence stranger = describeStranger(file); !stranger.empty())
        return stranger;
    try {
        if (isTokenizer(name)) {
            if (countPieces(file) == 0)
                return sentence("it is not a SentencePiece model");
        } else if (name.extension() == ".json") {
            readJsonObject(file);
        } else if (hasTensorFileName(name)) {
            const TensorFile tensors = TensorFile::open(file);
            if (name.extension() == ".safetensors" && tensors.format() != "safetensors")
                return sentence("it is {}, not {}", tensors.format(), "safetensors");
            if (tensors.tensors().empty())
                return sentence("it holds no tensors");
        }
    } catch (const Error& error) {
        return error.message();
    }
    return {};
}

/// Describes how a file of weights differs from what identifies its offer; empty when they agree, and for
/// offers about which the table knows nothing.
Sentence describeOther(const fs::path& file, const ModelOffer& offer) {
    const CatalogueFile found = describeFile(file);
    const auto differs = [&](std::optional<ModelPart> part, std::int64_t width) {
        return found.adapter || found.identity.part != part || (offer.width != 0 && width != offer.width);
    };
    bool isOther = false;
    switch (offer.kind) {
        case OfferKind::TextEncoder:
            isOther = offer.width != 0 && differs(ModelPart::TextEncoder, found.textWidth);
            break;
        case OfferKind::ImageEncoder:
            isOther = offer.width != 0 && differs(ModelPart::ImageEncoder, found.imageWidth);
            break;
        case OfferKind::AudioEncoder:
            isOther = offer.width != 0 && differs(ModelPart::AudioEncoder, found.soundWidth);
            break;
        case OfferKind::Vae:
        case OfferKind::SmallDecoder:
            isOther = offer.width != 0 && (differs(ModelPart::Vae, found.latentChannels) ||
                                           found.onlyDecodes != (offer.kind == OfferKind::SmallDecoder));
            break;
        case OfferKind::Model:
            if (const auto released = releasedModelFacts(offer.release)) {
                isOther = differs(ModelPart::Transformer, 0);
                if (!isOther) {
                    const json config = configOf(Checkpoint::open(file));
                    const WanTransformerConfig own = WanTransformerConfig::fromJson(config, file.string());
                    const WanTransformerConfig& asked = released->transformer;
                    isOther = own.inChannels != asked.inChannels || own.outChannels != asked.outChannels ||
                              own.layers != asked.layers || own.innerDim() != asked.innerDim() ||
                              own.vaceLayers != asked.vaceLayers ||
                              own.animate.has_value() != asked.animate.has_value() ||
                              own.sound.has_value() != asked.sound.has_value();
                }
            }
            break;
        case OfferKind::Tokenizer:
        case OfferKind::Adapter:
            break;
    }
    return isOther ? sentence("its tensors are not those of {}", offer.title) : Sentence();
}

/// Checks header and tensors against the offer.
PublishedCheck checkContent(const fs::path& file, const ModelOffer& offer, const OfferedFile& offered) {
    if (Sentence damage = describeDamage(file, offered.place); !damage.empty())
        return {.wrong = std::move(damage), .isBroken = true, .sha256 = {}};
    if (!hasTensorFileName(offered.place))
        return {};
    try {
        return {.wrong = describeOther(file, offer), .sha256 = {}};
    } catch (const std::exception& error) {
        return {.wrong = Sentence(error.what()), .sha256 = {}};
    }
}

/// Returns the hash of a link's target.
std::string hashOf(const fs::path& file, const StopToken& stop) {
    std::error_code failure;
    const fs::path canonical = fs::canonical(file, failure);
    return failure ? std::string() : computeSha256(canonical, stop);
}

Sentence wrongHash(const std::string& sha256) {
    return sentence("its SHA-256 is {}", sha256);
}

constexpr std::uint64_t smallBytes = 64ULL << 20U;  // hashed in a moment

}  // namespace

ByteRange publishedBytes(const OfferedFile& file) {
    constexpr std::uint64_t hundredth = 100;
    const std::uint64_t slack = file.exact ? 0 : file.bytes / hundredth;
    return {.least = file.bytes - slack, .most = file.bytes + slack};
}

Sentence publishedSize(const OfferedFile& file) {
    return file.exact ? sentence("{} bytes", file.bytes) : sentence("about {} bytes", file.bytes);
}

PublishedCheck checkPublished(const fs::path& found, const ModelOffer& offer, const OfferedFile& file,
                              FileCheck check, const StopToken& stop) {
    const Stamp stamp = stampOf(found);
    if (stamp == Stamp())
        return {.wrong = sentence("it is not a file, or it is a link that leads nowhere"),
                .isBroken = !isThere(found),
                .sha256 = {}};
    const json record = readRecord(found, offer, file);
    const std::string recorded = textIn(record, "sha256");
    const bool isUnchanged = !recorded.empty() && isOf(record, stamp);
    const std::string& expected = file.sha256.empty() ? recorded : file.sha256;
    if (isUnchanged && recorded == expected && publishedBytes(file).holds(stamp.bytes))
        return {.wrong = {}, .sha256 = recorded, .isRecorded = true};
    const auto refuse = [&](PublishedCheck refused) {
        refused.isWritten =
            !writersFile(found).empty() || (check == FileCheck::Whole && changesNow(found, stamp, stop));
        if (refused.isWritten)
            refused.wrong = writtenBy(found);
        return refused;
    };
    if (!publishedBytes(file).holds(stamp.bytes)) {
        const Sentence damage = describeDamage(found, file.place);
        return refuse({.wrong = damage.empty() ? sentence("it has {} bytes, and {} were published",
                                                          stamp.bytes, publishedSize(file))
                                               : damage,
                       .isBroken = !damage.empty(),
                       .sha256 = {}});
    }
    if (file.sha256.empty() && !writersFile(found).empty())  // else its hash may say that all is there
        return {.wrong = writtenBy(found), .isWritten = true, .sha256 = {}};
    const bool hashes = check == FileCheck::Whole || (!expected.empty() && stamp.bytes <= smallBytes);
    const std::string sha256 = hashes ? hashOf(found, stop) : std::string();
    if (!file.sha256.empty() && !sha256.empty()) {
        if (sha256 == file.sha256)
            return {.wrong = {}, .sha256 = sha256};
        // With exactly the right size, or unreadable, it is damaged. Otherwise it may be the user's own.
        const bool isBroken = file.exact || !describeDamage(found, file.place).empty();
        return refuse({.wrong = wrongHash(sha256), .isBroken = isBroken, .sha256 = sha256});
    }
    if (!writersFile(found).empty() || (check == FileCheck::Whole && changesNow(found, stamp, stop)))
        return {.wrong = writtenBy(found), .isWritten = true, .sha256 = {}};
    PublishedCheck content = checkContent(found, offer, file);
    if (!content.isPublished())
        return content;
    if (!recorded.empty() && !sha256.empty() && sha256 != recorded)
        return {.wrong = sentence("its SHA-256 is no longer that of the download ({})", recorded),
                .isBroken = true,
                .sha256 = sha256};
    content.sha256 = sha256;
    return content;
}

PublishedCheck checkDownloaded(const fs::path& partial, const ModelOffer& offer, const OfferedFile& file,
                               const std::string& sha256) {
    const std::uint64_t bytes = stampOf(partial).bytes;
    if (!file.sha256.empty())
        return {.wrong = sha256 == file.sha256 ? Sentence() : wrongHash(sha256), .sha256 = sha256};
    PublishedCheck content = checkContent(partial, offer, file);
    content.sha256 = sha256;
    if (content.isPublished() && !publishedBytes(file).holds(bytes))
        content.wrong = sentence("it has {} bytes, and {} were published", bytes, publishedSize(file));
    return content;
}

void keepRecord(const fs::path& file, const ModelOffer& offer, const OfferedFile& offered,
                const FileRecord& record) {
    const Stamp stamp = stampOf(file);
    const json content{{"repository", offer.repository}, {"revision", offer.revision},
                       {"commit", record.commit},        {"path", offered.path},
                       {"server", record.server},        {"bytes", stamp.bytes},
                       {"modified", stamp.modified},     {"sha256", record.sha256},
                       {"compared", record.compared},    {"licence", offer.licence}};
    writeFileAtomically(recordPath(file), content.dump(2) + "\n");
}

void rememberCheck(const fs::path& file, const ModelOffer& offer, const OfferedFile& offered,
                   const PublishedCheck& check) {
    if (check.isRecorded || check.sha256.empty())
        return;
    FileRecord record{
        .server = {}, .commit = {}, .sha256 = check.sha256, .compared = check.sha256 == offered.sha256};
    if (const json before = readRecord(file, offer, offered); textIn(before, "sha256") == check.sha256) {
        record.server = textIn(before, "server");
        record.commit = textIn(before, "commit");
        record.compared = record.compared || before.value("compared", json(false)) == json(true);
    }
    try {
        keepRecord(file, offer, offered, record);
    } catch (const Error&) {
        // it is read once more the next time
    }
}

std::string recordedSha256(const fs::path& file, const ModelOffer& offer, const OfferedFile& offered) {
    return textIn(readRecord(file, offer, offered), "sha256");
}

}  // namespace meshreel
