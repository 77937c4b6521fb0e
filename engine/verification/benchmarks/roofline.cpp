// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/verification/benchmarks/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace meshreel {
namespace {

constexpr double tera = 1e12;

struct Point {
    std::string name;
    double intensity;  // FLOP per byte
    double rate;       // FLOP per second
};

std::vector<Point> pointsOf(const BenchmarkRun& run) {
    std::vector<Point> points;
    for (const BenchmarkRow& row : run.rows())
        for (const auto& [detail, value] : row.details)
            if (detail == "flops_per_byte")
                points.push_back({row.name, value, row.value * tera});
    return points;
}

/// A logarithmic picture with a margin for its labels.
class Picture {
  public:
    explicit Picture(double lowestRate, double highestRate)
        : m_bottom(std::floor(std::log10(lowestRate))), m_top(std::ceil(std::log10(highestRate))) {}

    void frame() {
        m_body += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#888"/>)"
                              "\n",
                              margin, margin, plotWidth, plotHeight);
        for (double decade = leftDecade; decade <= rightDecade; ++decade)
            label(x(std::pow(10, decade)), margin + plotHeight + 18, fmt::format("1e{}", decade), "middle");
        for (double decade = m_bottom; decade <= m_top; ++decade)
            label(margin - 6, y(std::pow(10, decade)) + 4, fmt::format("{:g} T", std::pow(10, decade) / tera),
                  "end");
        label(margin + plotWidth / 2, margin + plotHeight + 38, "FLOP per byte", "middle");
        label(margin, margin - 10, "FLOP/s", "middle");
    }

    /// min(bandwidth · intensity, peak).
    void roof(const std::string& name, double bandwidth, double peak) {
        const double ridge = peak / bandwidth;
        m_body += fmt::format(
            R"(<polyline points="{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}" fill="none" stroke="#333"/>)"
            "\n",
            x(leftEdge), y(bandwidth * leftEdge), x(ridge), y(peak), x(rightEdge), y(peak));
        label(x(rightEdge) - 4, y(peak) - 5, fmt::format("{} {:.2f} T", name, peak / tera), "end");
    }

    void point(const Point& point) {
        m_body += fmt::format(
            R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="#1f77b4"><title>{}: {:.0f} FLOP/byte, {:.3f} TFLOP/s</title></circle>)"
            "\n",
            x(point.intensity), y(point.rate), point.name, point.intensity, point.rate / tera);
    }

    void label(double atX, double atY, const std::string& text, const char* anchor) {
        m_body += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                              "\n",
                              atX, atY, anchor, text);
    }

    [[nodiscard]] std::string svg() const {
        return fmt::format(
            R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="11">)"
            "\n{}</svg>\n",
            plotWidth + 2 * margin, plotHeight + 2 * margin, m_body);
    }

  private:
    static constexpr double margin = 60;
    static constexpr double plotWidth = 680;
    static constexpr double plotHeight = 400;
    static constexpr double leftDecade = 0;
    static constexpr double rightDecade = 5;
    static constexpr double leftEdge = 1;
    static constexpr double rightEdge = 1e5;

    [[nodiscard]] static double x(double intensity) {
        return margin + plotWidth * (std::log10(intensity) - leftDecade) / (rightDecade - leftDecade);
    }
    [[nodiscard]] double y(double rate) const {
        return margin + plotHeight * (m_top - std::log10(rate)) / (m_top - m_bottom);
    }

    double m_bottom;
    double m_top;
    std::string m_body;
};

}  // namespace

std::string rooflineSvg(const BenchmarkRun& run) {
    const std::vector<Point> points = pointsOf(run);
    const MachinePeaks& peaks = run.peaks();
    double lowest = peaks.bandwidth;
    double highest = peaks.bandwidth;
    for (const Point& point : points)
        lowest = std::min(lowest, point.rate);
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int8})
        highest = std::max(highest, peaks.matmul(arithmetic));
    Picture picture(lowest, highest);
    picture.frame();
    for (const Arithmetic arithmetic : {Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int8})
        picture.roof(std::string(nameOf(arithmetic)), peaks.bandwidth, peaks.matmul(arithmetic));
    for (const Point& point : points)
        picture.point(point);
    return picture.svg();
}

}  // namespace meshreel
