// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace meshreel {

/// Gives a panel all the room there is, and scrolls it where that is less than the panel needs: a window can
/// be smaller than the sum of its panels. Unlike a resizable QScrollArea, it lets lists and pictures shrink
/// to their smallest size before it scrolls.
class PanelScroller : public QScrollArea {
    Q_OBJECT

  public:
    enum class Along {
        Both,
        Width,  ///< the height is always what the panel needs
    };

    /// Owns the panel.
    explicit PanelScroller(QWidget* panel, Along along = Along::Both, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    [[nodiscard]] QSize leastSize(int width) const;
    [[nodiscard]] int heightAlongWidth() const;
    void fit();

    Along m_along;
    bool m_isWide = false;  ///< wider than its room, as of the last fit()
};

}  // namespace meshreel
