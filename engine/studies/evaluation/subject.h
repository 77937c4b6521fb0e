// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/studies/evaluation/background.h"
#include "engine/studies/evaluation/clip.h"

namespace meshreel {

/// Where the subject is in one frame.
struct SubjectPlace {
    double area = 0.0;  ///< pixels
    double x = 0.0;     ///< centre, in widths of the picture
    double y = 0.0;     ///< in heights
};

/// What stands in front of the background of a clip.
class Subject {
  public:
    Subject(const ClipPixels& clip, const PlainBackground& background);

    /// False when hardly anything, or nearly everything, differs from the background.
    [[nodiscard]] bool present() const { return m_present; }

    [[nodiscard]] bool covers(std::int64_t frame, std::int64_t y, std::int64_t x) const {
        return m_mask[static_cast<std::size_t>((frame * m_height + y) * m_width + x)] != 0;
    }

    /// How much it differs from the background where it does most, in levels.
    [[nodiscard]] double contrast() const { return m_contrast; }

    /// One a frame.
    [[nodiscard]] const std::vector<SubjectPlace>& places() const { return m_places; }

  private:
    [[nodiscard]] SubjectPlace placeIn(std::int64_t frame) const;

    std::int64_t m_height;
    std::int64_t m_width;
    std::vector<std::uint8_t> m_mask;  // [time, height, width]
    double m_contrast = 0.0;
    std::vector<SubjectPlace> m_places;
    bool m_present = false;
};

}  // namespace meshreel
