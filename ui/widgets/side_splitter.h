// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/splitter.h"

namespace meshreel {

/// Two widgets beside each other: the second is as wide as its size hint, as long as the first keeps its
/// least width. Once somebody has moved the handle, what is gained or lost goes where it is
/// stretched.
class SideSplitter : public Splitter {
    Q_OBJECT

  public:
    /// `leastWidth` of the first, in device-independent pixels.
    SideSplitter(int leastWidth, QWidget* parent);

    void restoreFirstSizes() override;

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeRoom();

    int m_leastWidth;
    bool m_isMoved = false;
};

}  // namespace meshreel
