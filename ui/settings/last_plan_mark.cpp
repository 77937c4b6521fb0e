// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/last_plan_mark.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>

#include "ui/project/plan_watch.h"
#include "ui/values/engine_texts.h"

namespace meshreel {

namespace {

constexpr double veilOpacity = 0.6;  ///< what lies below can be read, and nobody takes it for the present

/// Lies over all of another widget, which works as before.
class Veil : public QWidget {
  public:
    explicit Veil(QWidget* veiled) : QWidget(veiled) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        veiled->installEventFilter(this);
        hide();
    }

    bool eventFilter(QObject* veiled, QEvent* event) override {
        if (event->type() == QEvent::Resize)
            cover();
        return QWidget::eventFilter(veiled, event);
    }

  protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        cover();
    }

    void paintEvent(QPaintEvent* /*event*/) override {
        QColor color = palette().color(QPalette::Window);
        color.setAlphaF(veilOpacity);
        QPainter(this).fillRect(rect(), color);
    }

  private:
    void cover() {
        setGeometry(parentWidget()->rect());
        raise();
    }
};

}  // namespace

LastPlanMark::LastPlanMark(const std::vector<QWidget*>& marked, QWidget* parent)
    : QLabel(tr("This is how the project was last legal; Problems says what keeps it from being planned."),
             parent) {
    setWordWrap(true);
    for (QWidget* widget : marked)
        m_veils.push_back(new Veil(widget));
    hide();
}

void LastPlanMark::setMarked(bool marked) {
    setVisible(marked);
    for (QWidget* veil : m_veils)
        veil->setVisible(marked);
}

QString whyNoPlan(const ProjectForecast& forecast) {
    const auto error = std::ranges::find(forecast.problems, Severity::Error, &Problem::severity);
    if (error != forecast.problems.end())
        return LastPlanMark::tr(
                   "Nothing is drawn, as this project cannot be planned: %1. See Problems to mend it.")
            .arg(sentenceText(error->message));
    return LastPlanMark::tr("Nothing is drawn, as this project cannot be planned: %1.")
        .arg(forecast.obstacle ? sentenceText(forecast.obstacle->message) : QString());
}

}  // namespace meshreel
