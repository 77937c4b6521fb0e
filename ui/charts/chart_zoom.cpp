// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_zoom.h"

namespace meshreel {

void ChartZoom::show(const std::optional<AxisSpan>& part) {
    if (part == m_part)
        return;
    m_part = part;
    emit partChanged();
}

void ChartZoom::setMark(const std::optional<double>& mark) {
    if (mark == m_mark)
        return;
    m_mark = mark;
    emit markChanged();
}

}  // namespace meshreel
