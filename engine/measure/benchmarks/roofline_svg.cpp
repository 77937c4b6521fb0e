// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measure/benchmarks/machine_peaks.h"
#include "engine/measure/benchmarks/roofline.h"

namespace meshreel {
namespace {

constexpr double left = 64;
constexpr double top = 62;
constexpr double plotWidth = 640;
constexpr double leastPlotHeight = 430;
constexpr double keyGap = 28;
constexpr double keyWidth = 330;
constexpr double keyLine = 14;
constexpr double bottomMargin = 56;
constexpr double dotRadius = 4;
constexpr double letterWidth = 5.6;  ///< of a digit of a label
constexpr double labelHeight = 10;
constexpr double room = 1.5;  ///< factor beyond the outermost value

/// Okabe and Ito's palette, which colour-blind people can tell apart.
constexpr std::array colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"};

struct Box {
    double x = 0, y = 0, width = 0, height = 0;

    [[nodiscard]] bool overlaps(const Box& other) const {
        return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
               other.y < y + height;
    }
};

/// A logarithmic scale over pixels.
struct LogScale {
    double low = 1, high = 10;  ///< of the values
    double from = 0, to = 1;    ///< pixels

    [[nodiscard]] double operator()(double value) const {
        return from + (to - from) * std::log(value / low) / std::log(high / low);
    }

    /// 1, 2 and 5 times powers of ten, or the powers alone where there are many.
    [[nodiscard]] std::vector<double> ticks() const {
        constexpr double manyDecades = 2.5;
        const bool many = std::log10(high / low) > manyDecades;
        std::vector<double> ticks;
        for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
            for (const double factor : {1.0, 2.0, 5.0})
                if ((factor == 1.0 || !many) && decade * factor >= low && decade * factor <= high)
                    ticks.push_back(decade * factor);
        return ticks;
    }
};

/// "linear.1.3b" of "linear.1.3b.ffn_up.7800": what shares a colour.
std::string familyOf(const std::string& name) {
    const std::size_t last = name.rfind('.');
    const std::size_t before = last == std::string::npos || last == 0 ? last : name.rfind('.', last - 1);
    return before == std::string::npos ? name.substr(0, last) : name.substr(0, before);
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
    return result;
}

class Picture {
  public:
    explicit Picture(const Roofline& roofline) : m_roofline(roofline) {
        std::ranges::sort(m_roofline.points, {}, &RooflinePoint::name);
        for (const RooflinePoint& point : m_roofline.points)
            if (std::ranges::find(m_families, familyOf(point.name)) == m_families.end())
                m_families.push_back(familyOf(point.name));
        m_plotHeight = std::max(leastPlotHeight,
                                keyLine * static_cast<double>(m_roofline.points.size() + m_families.size()));
        const auto [nearest, farthest] =
            std::ranges::minmax(m_roofline.points, {}, &RooflinePoint::flopsPerByte);
        const double peak =
            std::ranges::max(m_roofline.peaks, {}, &RooflinePeak::flopsPerSecond).flopsPerSecond;
        const double lowestPeak =
            std::ranges::min(m_roofline.peaks, {}, &RooflinePeak::flopsPerSecond).flopsPerSecond;
        const double ridge = lowestPeak / m_roofline.bytesPerSecond;
        m_x = {.low = std::min(nearest.flopsPerByte, ridge) / 2,
               .high = farthest.flopsPerByte * 2,
               .from = left,
               .to = left + plotWidth};
        const double slowest =
            std::ranges::min(m_roofline.points, {}, &RooflinePoint::flopsPerSecond).flopsPerSecond;
        m_y = {.low = std::min(slowest, lowestPeak / 2) / room,
               .high = std::max(peak, highestRate()) * room,
               .from = top + m_plotHeight,
               .to = top};
    }

    std::string svg() {
        grid();
        for (const RooflinePeak& peak : m_roofline.peaks)
            roof(peak);
        points();
        key();
        const double width = left + plotWidth + keyGap + keyWidth;
        const double height = top + m_plotHeight + bottomMargin;
        return fmt::format(
            R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="11" fill="#202020">)"
            "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
            R"(<text x="{2}" y="24" font-size="16" font-weight="600">Operations under the machine's limits</text>)"
            "\n"
            R"(<text x="{2}" y="42" fill="#5d6873">{3}, triad {4:.1f} GB/s</text>)"
            "\n{5}</svg>\n",
            width, height, left, escaped(m_roofline.machine), m_roofline.bytesPerSecond / giga, m_body);
    }

  private:
    [[nodiscard]] double highestRate() const {
        return std::ranges::max(m_roofline.points, {}, &RooflinePoint::flopsPerSecond).flopsPerSecond;
    }

    [[nodiscard]] const char* colorOf(const RooflinePoint& point) const {
        const auto family = std::ranges::find(m_families, familyOf(point.name)) - m_families.begin();
        return colors.at(static_cast<std::size_t>(family) % colors.size());
    }

    void text(double x, double y, const std::string& words, std::string_view attributes = {}) {
        m_body +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(words));
    }

    void line(double x1, double y1, double x2, double y2, std::string_view attributes) {
        m_body += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                              x2, y2, attributes);
    }

    void grid() {
        constexpr std::string_view rule = R"(stroke="#e3e7ea")";
        constexpr std::string_view middle = R"(text-anchor="middle" fill="#5d6873")";
        for (const double tick : m_x.ticks()) {
            line(m_x(tick), top, m_x(tick), top + m_plotHeight, rule);
            text(m_x(tick), top + m_plotHeight + 18, fmt::format("{:g}", tick), middle);
        }
        for (const double tick : m_y.ticks()) {
            line(left, m_y(tick), left + plotWidth, m_y(tick), rule);
            text(left - 8, m_y(tick) + 4, fmt::format("{:g}", tick / tera),
                 R"(text-anchor="end" fill="#5d6873")");
        }
        text(left + plotWidth / 2, top + m_plotHeight + 40, "FLOP per byte that has to be moved", middle);
        text(left - 8, top - 8, "TFLOP/s", R"(text-anchor="end" fill="#5d6873")");
    }

    /// min(bandwidth · intensity, peak), as far as it lies in the picture.
    void roof(const RooflinePeak& peak) {
        const double bandwidth = m_roofline.bytesPerSecond;
        const double ridge = std::clamp(peak.flopsPerSecond / bandwidth, m_x.low, m_x.high);
        const double start = std::clamp(m_y.low / bandwidth, m_x.low, ridge);
        m_body += fmt::format(
            "<polyline points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" fill=\"none\" stroke=\"#202020\" "
            "stroke-width=\"1.5\"/>\n",
            m_x(start), m_y(bandwidth * start), m_x(ridge), m_y(bandwidth * ridge), left + plotWidth,
            m_y(std::min(peak.flopsPerSecond, bandwidth * m_x.high)));
        text(left + plotWidth - 6, m_y(peak.flopsPerSecond) - 6,
             fmt::format("{} {:.2f} TFLOP/s", peak.name, peak.flopsPerSecond / tera),
             R"(text-anchor="end" font-weight="600")");
    }

    void points() {
        for (const RooflinePoint& point : m_roofline.points)
            m_taken.push_back({m_x(point.flopsPerByte) - dotRadius, m_y(point.flopsPerSecond) - dotRadius,
                               2 * dotRadius, 2 * dotRadius});
        for (std::size_t index = 0; index < m_roofline.points.size(); ++index) {
            const RooflinePoint& point = m_roofline.points[index];
            m_body += fmt::format(
                "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}: {:.0f} FLOP/byte, "
                "{:.3f} TFLOP/s</title></circle>\n",
                m_x(point.flopsPerByte), m_y(point.flopsPerSecond), dotRadius, colorOf(point),
                escaped(point.name), point.flopsPerByte, point.flopsPerSecond / tera);
        }
        for (std::size_t index = 0; index < m_roofline.points.size(); ++index)
            label(index);
    }

    /// The point's number where it covers nothing, as near as that goes.
    void label(std::size_t index) {
        const RooflinePoint& point = m_roofline.points[index];
        const std::string number = fmt::format("{}", index + 1);
        const double width = letterWidth * static_cast<double>(number.size());
        const double x = m_x(point.flopsPerByte);
        const double y = m_y(point.flopsPerSecond);
        constexpr int directions = 12;
        constexpr double fullTurn = 6.283185307179586;
        for (double distance = 11; distance < 60; distance += 5)
            for (int direction = 0; direction < directions; ++direction) {
                const double angle = fullTurn * direction / directions;
                const double atX = x + distance * std::cos(angle);
                const double atY = y - distance * std::sin(angle);
                const Box box{atX - width / 2, atY - labelHeight / 2, width, labelHeight};
                if (std::ranges::any_of(m_taken, [&](const Box& other) { return box.overlaps(other); }))
                    continue;
                m_taken.push_back(box);
                constexpr double beside = 14;
                if (distance > beside)
                    line(x, y, atX, atY, fmt::format(R"(stroke="{}" stroke-width="0.6")", colorOf(point)));
                return text(atX, atY + labelHeight / 2 - 1, number,
                            R"(text-anchor="middle" font-size="9" font-weight="600")");
            }
    }

    /// Numbers, names, and how much of the lowest roof above it a point reaches.
    void key() {
        double y = top;
        const double x = left + plotWidth + keyGap;
        std::string family;
        for (std::size_t index = 0; index < m_roofline.points.size(); ++index) {
            const RooflinePoint& point = m_roofline.points[index];
            if (familyOf(point.name) != family) {
                family = familyOf(point.name);
                y += index == 0 ? 0 : keyLine;
            }
            m_body += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x, y - 4,
                                  dotRadius, colorOf(point));
            text(x + 26, y, fmt::format("{}", index + 1), R"(text-anchor="end" font-weight="600")");
            text(x + 34, y, point.name);
            text(x + keyWidth - 20, y, fmt::format("{:.3f}", point.flopsPerSecond / tera),
                 R"(text-anchor="end")");
            y += keyLine;
        }
    }

    Roofline m_roofline;
    double m_plotHeight = leastPlotHeight;
    LogScale m_x;
    LogScale m_y;
    std::vector<std::string> m_families;
    std::vector<Box> m_taken;
    std::string m_body;
};

}  // namespace

std::string rooflineSvg(const Roofline& roofline) {
    return Picture(roofline).svg();
}

}  // namespace meshreel
