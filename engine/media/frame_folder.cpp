// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/media/frame_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <map>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/strings.h"

namespace fs = std::filesystem;

namespace meshreel {

std::string frameFileName(std::int64_t index) {
    return fmt::format("frame_{:05}.png", index + 1);
}

bool isFrameFile(const fs::path& file) {
    return file.filename().string().starts_with("frame_") && file.extension() == ".png";
}

namespace {

constexpr std::array<std::string_view, 7> pictureEndings = {".png", ".jpg",  ".jpeg", ".webp",
                                                            ".bmp", ".tiff", ".tif"};

/// What programs leave in folders without being asked.
constexpr std::array<std::string_view, 3> clutter = {"thumbs.db", "desktop.ini", "ehthumbs.db"};

bool isFigure(char letter) {
    return letter >= '0' && letter <= '9';
}

bool isNameLetter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

std::string lowerCase(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// A whole number of any length in a name.
struct NameNumber {
    bool negative = false;
    std::string figures;  ///< without leading zeros; of 0 none

    friend bool operator==(const NameNumber&, const NameNumber&) = default;
    friend std::strong_ordering operator<=>(const NameNumber& one, const NameNumber& other) {
        if (one.negative != other.negative)
            return one.negative ? std::strong_ordering::less : std::strong_ordering::greater;
        const NameNumber& low = one.negative ? other : one;
        const NameNumber& high = one.negative ? one : other;
        if (low.figures.size() != high.figures.size())
            return low.figures.size() <=> high.figures.size();
        return low.figures <=> high.figures;
    }

    [[nodiscard]] NameNumber next() const {
        NameNumber number = *this;
        std::string& text = number.figures;
        const char carried = negative ? '0' : '9';
        const char carry = negative ? '9' : '0';
        std::size_t at = text.size();
        while (at > 0 && text[at - 1] == carried)
            text[--at] = carry;
        if (at > 0)
            text[at - 1] = static_cast<char>(text[at - 1] + (negative ? -1 : 1));
        else
            text.insert(0, "1");
        text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
        number.negative = negative && !text.empty();
        return number;
    }
};

/// A name taken apart: the text around its numbers, and these.
struct NumberedName {
    fs::path file;
    std::string series;  ///< "frame_#", in small letters
    std::vector<NameNumber> numbers;
};

NumberedName takeApart(const fs::path& file) {
    NumberedName name{.file = file, .series = {}, .numbers = {}};
    const std::string stem = file.stem().string();
    for (std::size_t at = 0; at < stem.size();) {
        // "-0005" and "frame_-5" are negative, "frame-5" and "2026-05" are not.
        const bool minus = stem[at] == '-' && at + 1 < stem.size() && isFigure(stem[at + 1]) &&
                           (at == 0 || !isNameLetter(stem[at - 1]));
        const std::size_t begin = at + (minus ? 1 : 0);
        std::size_t end = begin;
        while (end < stem.size() && isFigure(stem[end]))
            ++end;
        if (end == begin) {
            name.series += stem[at++];
            continue;
        }
        std::string figures = stem.substr(begin, end - begin);
        figures.erase(0, std::min(figures.find_first_not_of('0'), figures.size()));
        name.numbers.push_back({.negative = minus && !figures.empty(), .figures = std::move(figures)});
        name.series += '#';
        at = end;
    }
    name.series = lowerCase(std::move(name.series));
    return name;
}

using Series = std::vector<NumberedName>;

/// "a.txt, b.txt and 3 more".
Sentence someNames(std::vector<std::string> names) {
    constexpr std::size_t shown = 3;
    std::ranges::sort(names);
    std::string list;
    for (std::size_t at = 0; at < std::min(names.size(), shown); ++at)
        list += (list.empty() ? "" : ", ") + wellFormedUtf8(names[at]);
    return names.size() <= shown ? Sentence(list) : sentence("{} and {} more", list, names.size() - shown);
}

std::string shownName(const fs::path& file) {
    return wellFormedUtf8(file.filename().string());
}

[[noreturn]] void refuseFolder(const fs::path& folder, Sentence message, Sentence hint) {
    throw Error(ErrorKind::Input, std::move(message), folder.string(), std::move(hint));
}

/// The pictures of a folder by series, and the names of all else.
struct FolderContents {
    std::map<std::string, Series> series;
    std::vector<std::string> strangers;
};

FolderContents readContents(const fs::path& folder) {
    FolderContents contents;
    std::error_code failure;
    for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::end(entry);
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        const std::string lower = lowerCase(name);
        if (name.starts_with('.') || std::ranges::find(clutter, lower) != clutter.end())
            continue;
        NumberedName taken = takeApart(entry->path());
        const bool isPicture =
            std::ranges::find(pictureEndings, lowerCase(entry->path().extension().string())) !=
            pictureEndings.end();
        if (isPicture && !taken.numbers.empty()) {
            const std::string key = taken.series;
            contents.series[key].push_back(std::move(taken));
        } else {
            contents.strangers.push_back(name);
        }
    }
    if (failure)
        refuseFolder(folder, sentence("this folder cannot be read ({})", failure.message()),
                     sentence("Check that you may read it"));
    return contents;
}

/// "frame_#" as Meshreel and ffmpeg call frames, else the only one, else the only one of several pictures.
Series takeSeries(FolderContents& contents, const fs::path& folder) {
    constexpr std::string_view usual = "frame_#";
    if (contents.series.empty())
        refuseFolder(folder, sentence("this folder holds no frames named {} and on", frameFileName(0)),
                     sentence("Choose a video file or a folder of numbered pictures"));
    const auto isLong = [](const auto& series) { return series.second.size() > 1; };
    const auto longOnes = std::ranges::count_if(contents.series, isLong);
    auto chosen = contents.series.find(std::string(usual));
    if (chosen == contents.series.end() || (longOnes > 0 && !isLong(*chosen))) {
        if (longOnes > 1 || (longOnes == 0 && contents.series.size() > 1)) {
            std::vector<std::string> firsts;
            for (const auto& [name, series] : contents.series)
                firsts.push_back(shownName(std::ranges::min(series, {}, &NumberedName::file).file));
            refuseFolder(folder,
                         sentence("this folder holds {} series of numbered pictures, and nothing tells which "
                                  "is meant: {}",
                                  contents.series.size(), someNames(firsts)),
                         sentence("Put one series into a folder of its own"));
        }
        chosen = longOnes == 1 ? std::ranges::find_if(contents.series, isLong) : contents.series.begin();
    }
    Series taken = std::move(chosen->second);
    contents.series.erase(chosen);
    for (const auto& [name, series] : contents.series)
        for (const NumberedName& picture : series)
            contents.strangers.push_back(picture.file.filename().string());
    return taken;
}

void requireOwnFile(const fs::path& frame, const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_regular_file(frame, failure))
        throw Error(ErrorKind::Input, sentence("this frame is not a file"), frame.string(),
                    sentence("Remove it, or put a PNG file in its place"));
    if (fs::is_symlink(frame, failure) &&
        fs::canonical(frame, failure).parent_path() != fs::canonical(folder, failure))
        throw Error(ErrorKind::Input, sentence("this frame is a link out of the folder"), frame.string(),
                    sentence("Put a copy of the file in its place"));
}

/// Which of the numbers in the names differ, by place.
std::vector<std::size_t> varyingPlaces(const Series& series) {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < series.front().numbers.size(); ++place)
        if (std::ranges::any_of(series, [&](const NumberedName& name) {
                return name.numbers[place] != series.front().numbers[place];
            }))
            places.push_back(place);
    return places;
}

void noteGaps(const Series& series, std::size_t place, std::vector<Sentence>& remarks) {
    std::size_t gaps = 0;
    const NumberedName* before = nullptr;
    const NumberedName* behind = nullptr;
    for (std::size_t at = 1; at < series.size(); ++at) {
        if (series[at - 1].numbers[place].next() == series[at].numbers[place])
            continue;
        if (gaps++ == 0) {
            before = &series[at - 1];
            behind = &series[at];
        }
    }
    if (gaps == 1)
        remarks.push_back(sentence("numbers are missing between {} and {}, which follow each other",
                                   shownName(before->file), shownName(behind->file)));
    else if (gaps > 1)
        remarks.push_back(
            sentence("numbers are missing at {} places, the first between {} and {}, which "
                     "follow each other",
                     gaps, shownName(before->file), shownName(behind->file)));
}

}  // namespace

FrameFolder FrameFolder::read(const fs::path& folder) {
    FolderContents contents = readContents(folder);
    Series series = takeSeries(contents, folder);
    for (const NumberedName& name : series)
        requireOwnFile(name.file, folder);
    std::ranges::sort(series, [](const NumberedName& one, const NumberedName& other) {
        return std::tie(one.numbers, one.file) < std::tie(other.numbers, other.file);
    });
    const auto twice = std::ranges::adjacent_find(series, {}, &NumberedName::numbers);
    if (twice != series.end())
        refuseFolder(folder,
                     sentence("{} and {} have the same number", shownName(twice->file),
                              shownName(std::next(twice)->file)),
                     sentence("Remove the one that is not meant"));
    FrameFolder frames;
    const std::vector<std::size_t> places = varyingPlaces(series);
    if (places.size() == 1)
        noteGaps(series, places.front(), frames.remarks);
    else if (places.size() > 1)
        frames.remarks.push_back(
            sentence("more than one number in the names changes; the order is that of "
                     "the first, then of the next: from {} to {}",
                     shownName(series.front().file), shownName(series.back().file)));
    if (!contents.strangers.empty())
        frames.remarks.push_back(
            sentence("not of the series, and passed over: {}", someNames(contents.strangers)));
    for (NumberedName& name : series)
        frames.files.push_back(std::move(name.file));
    return frames;
}

}  // namespace meshreel
