// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>
#include <QStringList>

namespace meshreel {

/// A splitter for the keyboard, too: Tab stops at its handles; the arrow keys move them, with Shift, or Page
/// up and Page down, further; Home and End go to their limits; Enter or a double click gives back the first
/// sizes.
class Splitter : public QSplitter {
    Q_OBJECT

  public:
    Splitter(Qt::Orientation orientation, QWidget* parent);

    /// `name` says for screen readers what the handles divide.
    void addPart(QWidget* part, const QString& name);
    /// Sizes to begin with, and to come back to.
    void setFirstSizes(const QList<int>& sizes);
    virtual void restoreFirstSizes();

  protected:
    QSplitterHandle* createHandle() override;

  private:
    void tellShares();

    QStringList m_names;
    QList<int> m_first;
};

/// Two widgets side by side: the second is as wide as its size hint, as long as the first keeps its least
/// width. Once the user has moved the handle, gains and losses go to the stretched one.
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
