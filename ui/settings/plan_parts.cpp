// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/plan_parts.h"

#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/foresight/hardware_profile.h"
#include "engine/planning/project_forecast.h"
#include "ui/project/plan_watch.h"
#include "ui/project/target_choice.h"
#include "ui/theme/look.h"
#include "ui/theme/plain_text.h"
#include "ui/values/engine_texts.h"
#include "ui/widgets/accessibility.h"

namespace meshreel {

namespace {

const QString fileEntry = QStringLiteral("…");  ///< data of the entry that asks for a file: no profile's name

std::vector<Hardware> readableProfiles() {
    try {
        return hardwareProfiles();
    } catch (const Error&) {
        return {};  // choosing by file still works, and says what is wrong
    }
}

}  // namespace

HardwareChooser::HardwareChooser(TargetChoice& choice, QWidget* parent)
    : FormComboBox(parent), m_choice(choice) {
    nameControl(*this, tr("Plan for"));
    setToolTip(
        tr("Hardware that time, memory and meshes are predicted for beside this machine. It is kept for this "
           "project alone. Runs always happen on this machine."));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addItem(tr("This machine"), QString());
    insertSeparator(count());
    for (const Hardware& profile : readableProfiles()) {
        addItem(QString::fromStdString(profile->title), QString::fromStdString(profile->id));
        setItemData(count() - 1, asPlainText(QString::fromStdString(profile->device)), Qt::ToolTipRole);
    }
    insertSeparator(count());
    addItem(tr("Profile file…"), fileEntry);
    connect(this, &QComboBox::activated, this, &HardwareChooser::take);
    connect(&m_choice, &TargetChoice::changed, this, &HardwareChooser::refresh);
    refresh();
}

void HardwareChooser::refresh() {
    const QSignalBlocker blocker(this);
    int index = findData(m_choice.name());
    if (index < 0) {  // the user's own file
        index = count() - 1;
        insertItem(index, QFileInfo(m_choice.name()).completeBaseName(), m_choice.name());
    }
    setCurrentIndex(index);
}

void HardwareChooser::take(int index) {
    QString name = itemData(index).toString();
    if (name == fileEntry)
        name = QFileDialog::getOpenFileName(window(), tr("Choose a hardware profile"), QString(),
                                            tr("Hardware profiles (*.yaml)"));
    if (name.isEmpty() && index != 0)
        return refresh();
    m_choice.choose(name);
}

QWidget* makeHardwareField(HardwareChooser& chooser, TargetChoice& choice) {
    auto* field = new QWidget(chooser.parentWidget());
    auto* back = new QToolButton(field);
    back->setObjectName(QStringLiteral("planHere"));
    back->setAutoRaise(true);
    back->setIcon(themedIcon(QStringLiteral("close")));
    nameControl(*back, HardwareChooser::tr("Plan for this machine alone"));
    back->setToolTip(HardwareChooser::tr("Plan for this machine alone"));
    auto* row = new QHBoxLayout(field);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(tightSpacing);
    row->addWidget(&chooser);
    row->addWidget(back);
    row->addStretch(1);
    field->setFocusProxy(&chooser);
    const auto refresh = [back, &choice] { back->setVisible(!choice.name().isEmpty()); };
    QObject::connect(&choice, &TargetChoice::changed, back, refresh);
    QObject::connect(back, &QToolButton::clicked, &choice, [&choice] { choice.choose({}); });
    refresh();
    return field;
}

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

#include "moc_plan_parts.cpp"
