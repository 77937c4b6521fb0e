// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/finish/finish.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/elapsed.h"
#include "engine/base/error.h"
#include "engine/base/file_lock.h"
#include "engine/base/files.h"
#include "engine/base/stop_token.h"
#include "engine/media/frame_source.h"
#include "engine/media/sound_edit.h"
#include "engine/media/video_joining.h"
#include "engine/media/video_writer.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/tensor.h"
#include "engine/weights/cache/fingerprint.h"

namespace fs = std::filesystem;

namespace meshreel {
namespace {

constexpr std::string_view recordFile = "finish.json";
constexpr std::string_view lockFile = ".lock";
constexpr const char* identityKey = "identity";
constexpr const char* sourceKey = "source";

/// The folder of the parts, which this process alone works in.
class PartsFolder {
  public:
    PartsFolder(const FinishPlan& plan, const fs::path& video, const StopToken& stop)
        : m_plan(plan), m_path(finishFolder(video)) {
        std::error_code failure;
        fs::create_directories(m_path, failure);
        if (failure)
            throw Error(ErrorKind::Input, sentence("the folder cannot be made ({})", failure.message()),
                        m_path.string(), sentence("Choose another place for the video"));
        m_lock = FileLock::tryTake(openPlainFile(m_path / lockFile, O_RDWR | O_CREAT));
        if (!m_lock)
            throw Error(ErrorKind::Input, sentence("another program makes this video"), m_path.string(),
                        sentence("Wait until it is done, or choose another name"));
        removeAbandonedTemporaries(m_path);
        const nlohmann::json record{{identityKey, plan.identity}, {sourceKey, sourceFingerprint(plan, stop)}};
        if (earlierRecord() == record)
            return;
        removeParts();
        writeFileAtomically(m_path / recordFile,
                            record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }

    [[nodiscard]] fs::path part(std::size_t index) const {
        return withVideoExtension(m_path / fmt::format("part-{:05}", index + 1), m_plan.settings.format);
    }
    /// Parts appear complete or not at all.
    [[nodiscard]] bool has(std::size_t index) const {
        std::error_code ignored;
        return fs::is_regular_file(fs::symlink_status(part(index), ignored));
    }
    [[nodiscard]] fs::path sound() const {
        return withVideoExtension(m_path / "sound", m_plan.settings.format);
    }

    /// The video is complete: nothing here is needed any more.
    void remove() {
        std::error_code ignored;
        removeParts();
        fs::remove(m_path / recordFile, ignored);
        fs::remove(m_path / lockFile, ignored);
        fs::remove(m_path, ignored);  // unless something else lies in it
    }

  private:
    [[nodiscard]] nlohmann::json earlierRecord() const {
        try {
            return nlohmann::json::parse(readFile(m_path / recordFile));
        } catch (const Error&) {  // there is none yet
        } catch (const nlohmann::json::exception&) {
            // not such a record
        }
        return {};
    }

    /// A video that is written anew with the same content, as by a run that goes on, is the same.
    static nlohmann::json sourceFingerprint(const FinishPlan& plan, const StopToken& stop) {
        std::error_code ignored;
        if (!fs::is_regular_file(plan.source, ignored))
            return plan.source.string();
        return fingerprintFile(plan.source, stop);
    }

    /// Those of a longer plan, too.
    void removeParts() const {
        std::error_code ignored;
        std::vector<fs::path> parts;
        for (const fs::directory_entry& entry : fs::directory_iterator(m_path, ignored)) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("part-") || name.starts_with("sound."))
                parts.push_back(entry.path());
        }
        for (const fs::path& part : parts)
            fs::remove(part, ignored);
    }

    const FinishPlan& m_plan;
    fs::path m_path;
    std::optional<FileLock> m_lock;
};

/// The source's frames in order, of which two are held.
class SourceFrames {
  public:
    explicit SourceFrames(const FinishPlan& plan) : m_plan(plan), m_source(openFrameSource(plan.source)) {}

    /// Reads on until frame `number` is the first of the two; they never go back.
    const NumberedFrame& first(std::int64_t number) {
        while (m_first.number < number) {
            if (m_second.number >= 0) {
                m_first = std::exchange(m_second, {});
                continue;
            }
            if (m_next < number) {
                require(m_source->skip());
                ++m_next;
                continue;
            }
            m_first = next();
        }
        if (m_first.number != number)
            throw Error(ErrorKind::Internal, "the frames of a video are finished in order");
        return m_first;
    }

    /// The frame behind first().
    const NumberedFrame& second() {
        if (m_second.number < 0)
            m_second = next();
        return m_second;
    }

  private:
    NumberedFrame next() {
        Tensor picture = Tensor::empty({m_plan.height, m_plan.width, 3}, DType::U8);
        if (m_source->info().height != m_plan.height || m_source->info().width != m_plan.width)
            refuseChanged();
        require(m_source->read(picture.data<std::uint8_t>()));
        return {.number = m_next++, .picture = std::move(picture)};
    }

    void require(bool isThere) const {
        if (!isThere)
            refuseChanged();
    }

    [[noreturn]] void refuseChanged() const {
        throw Error(ErrorKind::Input, sentence("the video is another than when the work was planned"),
                    m_plan.source.string(), sentence("Begin again"));
    }

    const FinishPlan& m_plan;
    std::unique_ptr<FrameSource> m_source;
    NumberedFrame m_first;
    NumberedFrame m_second;
    std::int64_t m_next = 0;
};

/// The frames of the plan, made in order.
class FinishedFrames {
  public:
    FinishedFrames(const FinishPlan& plan, const Execution& execution)
        : m_plan(plan), m_source(plan), m_between(plan, execution), m_larger(plan, execution) {}

    /// u8 [1, height, width, 3].
    Tensor at(std::int64_t outFrame) {
        const FinishPlan::Place place = m_plan.placeOf(outFrame);
        const NumberedFrame& first = m_source.first(place.frame);
        const Tensor picture =
            place.part == 0 ? first.picture : m_between.at(first, m_source.second(), place.part);
        // A copied frame is enlarged once.
        if (picture.address() != m_seen.address() || m_seen.elements() == 0) {
            m_made = m_larger.enlarged(picture);
            m_seen = picture;
        }
        return m_made.reshaped({1, m_plan.outHeight, m_plan.outWidth, 3});
    }

    [[nodiscard]] const BetweenCounts& counts() const { return m_between.counts(); }

  private:
    const FinishPlan& m_plan;
    SourceFrames m_source;
    BetweenFrames m_between;
    LargerFrames m_larger;
    Tensor m_seen;  // the last picture, kept so that no other one has its address
    Tensor m_made;  // what became of it
};

VideoOptions partOptions(const FinishPlan& plan) {
    VideoOptions options;
    options.format = plan.settings.format;
    options.fps = plan.outFps;
    options.quality = plan.settings.quality;
    return options;
}

/// The file whose sound is copied under the video, made here where it is edited; empty: none.
fs::path soundOf(const FinishPlan& plan, const PartsFolder& folder) {
    if (!plan.soundEdit)
        return plan.sound;
    const double seconds = static_cast<double>(plan.outFrames) / plan.outFps;
    writeFileAtomically(folder.sound(), [&](const fs::path& file) {
        writeEditedSound(*plan.soundEdit, seconds, plan.settings.format, file);
    });
    return folder.sound();
}

JoinedVideo joinParts(const FinishPlan& plan, const PartsFolder& folder, const fs::path& sound,
                      const fs::path& video) {
    std::vector<VideoPart> parts;
    for (std::size_t index = 0; index < plan.chunks.size(); ++index)
        parts.push_back({.video = folder.part(index)});
    VideoOptions options = partOptions(plan);
    options.metadata = plan.metadata;
    options.sound = sound;
    return joinVideos(parts, video, options);
}

/// Parts are looked for under the format that was asked for.
void requireFormat(const WrittenVideo& written, const FinishPlan& plan) {
    if (written.format != plan.settings.format)
        throw Error(ErrorKind::Project,
                    sentence("this system's libavcodec cannot write {}",
                             tableText(videoFormatInfo(plan.settings.format).title)),
                    {}, sentence("Choose a name that ends in {}", videoFormatInfo(written.format).extension));
}

}  // namespace

fs::path finishFolder(const fs::path& video) {
    return video.parent_path() / fmt::format(".{}.finish", video.filename().string());
}

FinishedVideo finishVideo(const FinishPlan& plan, const Execution& execution, const fs::path& video,
                          const FinishListener& listen) {
    requireWritable(partOptions(plan));
    const fs::path target = withVideoExtension(video, plan.settings.format);
    std::error_code ignored;
    if (fs::equivalent(target, plan.source, ignored))
        throw Error(ErrorKind::Project,
                    sentence("the video would take the place of the one that it is made of"), target.string(),
                    sentence("Choose another name"));
    PartsFolder folder(plan, target, execution.stop);
    const fs::path sound = soundOf(plan, folder);  // first: what is refused is refused before hours of work
    FinishedVideo finished;
    std::optional<FinishedFrames> frames;
    const auto begun = std::chrono::steady_clock::now();
    std::int64_t done = 0;
    std::int64_t made = 0;
    for (std::size_t index = 0; index < plan.chunks.size(); ++index) {
        const FinishChunk& chunk = plan.chunks[index];
        if (folder.has(index)) {
            done += chunk.count;
            finished.keptFrames += chunk.count;
            continue;
        }
        if (!frames)
            frames.emplace(plan, execution);
        VideoFile part(folder.part(index), partOptions(plan));
        for (std::int64_t frame = chunk.first; frame < chunk.first + chunk.count; ++frame) {
            throwIfStopped(execution.stop);
            part.add(frames->at(frame));
            ++done;
            ++made;
            const std::int64_t left = plan.outFrames - done;
            listen(
                {.framesDone = done,
                 .frames = plan.outFrames,
                 .secondsLeft = secondsSince(begun) / static_cast<double>(made) * static_cast<double>(left)});
        }
        requireFormat(part.finish(), plan);
    }
    if (frames)
        finished.between = frames->counts();
    const JoinedVideo joined = joinParts(plan, folder, sound, target);
    folder.remove();
    finished.video = joined.video.file;
    finished.frames = joined.frames;
    finished.note = joined.video.note;
    if (finished.note.empty() && !joined.whyEncoded.empty())
        finished.note = sentence("The pictures were encoded once more: {}", joined.whyEncoded);
    return finished;
}

}  // namespace meshreel
