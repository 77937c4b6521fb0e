// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QWidget>
#include <functional>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace meshreel {

class RunFilter;
struct RunField;

/// Buttons in as many lines as they need.
class ChipRow : public QWidget {
    Q_OBJECT

  public:
    using QWidget::QWidget;

    /// Takes the place of the chips before.
    void setChips(const QList<QToolButton*>& chips);
    [[nodiscard]] const QList<QToolButton*>& chips() const { return m_chips; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override { return place(width, false); }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// Returns the height of the lines.
    int place(int width, bool moves) const;

    QList<QToolButton*> m_chips;
};

/// Says which runs are shown: words, the star, and a menu of models, tasks, adapters, days, tags and boards;
/// below, a chip for each that is chosen, which ends it.
class FilterBar : public QWidget {
    Q_OBJECT

  public:
    explicit FilterBar(RunFilter& filter, QWidget* parent = nullptr);

    /// A control more behind the others in the first line.
    void addControl(QWidget* control);
    void clear();
    void focusSearch();

    [[nodiscard]] QLineEdit& search() const { return *m_search; }
    [[nodiscard]] QToolButton& starred() const { return *m_starred; }
    [[nodiscard]] QToolButton& menuButton() const { return *m_more; }
    [[nodiscard]] ChipRow& chips() const { return *m_chips; }
    /// Returns "12 of 225" as shown.
    [[nodiscard]] QString count() const;

  public slots:
    void showCount();

  private:
    void layOut();
    void fillMenu();
    void addField(const RunField& field);
    void addDays();
    void showChoice();
    [[nodiscard]] QToolButton* makeChip(const QString& text, const std::function<void()>& end);

    RunFilter& m_filter;
    QLineEdit* m_search;
    QToolButton* m_starred;
    QToolButton* m_more;
    QMenu* m_menu;
    QLabel* m_count;
    ChipRow* m_chips;
    QHBoxLayout* m_row;
};

}  // namespace meshreel
