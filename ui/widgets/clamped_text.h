// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

namespace meshreel {

/// A paragraph that takes no more than a few lines, however long it is: the last one is shortened, and the
/// tool tip tells the whole. It can be copied.
class ClampedText : public QWidget {
    Q_OBJECT

  public:
    /// `mostLines`: at least 1.
    explicit ClampedText(int mostLines, QWidget* parent = nullptr);

    void setText(const QString& text);
    /// The whole.
    [[nodiscard]] const QString& text() const { return m_text; }
    /// As they are shown in `width` pixels.
    [[nodiscard]] QStringList lines(int width) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void refreshToolTip();

    int m_mostLines;
    QString m_text;
};

}  // namespace meshreel
